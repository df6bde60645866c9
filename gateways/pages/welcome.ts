/** GET /: what this address is, for whoever opens it by hand. People get a page, programs JSON.
 *  1. It says where to look and nothing of anybody. */
import { prefersHtml } from '../http/accept.ts';
import type { Door } from '../http/door.ts';
import { jsonReply } from '../http/reply.ts';
import { glyph } from './glyphs.ts';
import { pageHeaders } from './headers.ts';
import { html } from './html.ts';
import { lonePage } from './hosted/frame.ts';
import { sign, soft } from './hosted/pieces.ts';

const places = JSON.stringify({
  service: 'Galla',
  api: '/v1',
  health: '/health',
  documentation: 'docs/reference/api.md, beside the program',
});

const welcomePage = lonePage({
  title: 'Galla',
  main: html`${sign('plain', 'note')}
<h1>Galla takes payments for shops</h1>
${soft('Did you mean to pay? Then the link was incomplete. Please go back to the shop and start again from there.')}
${soft(
  'Do you build a shop? The API lies under /v1 and answers with your secret key; it is described in ' +
    'docs/reference/api.md, beside the program.',
)}
<a class="button" href="/health">Is the service well?${glyph('arrow')}</a>`,
});

export const welcomeDoor = (): Door => ({
  method: 'GET',
  path: '/',
  lateHeaders: [],
  handle: async (request) =>
    prefersHtml(request.header('accept'))
      ? { status: 200, headers: { ...pageHeaders(), Vary: 'Accept' }, body: welcomePage }
      : jsonReply(200, places, { Vary: 'Accept' }),
});
