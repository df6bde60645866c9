/** An API key, as the operator sees it. */
import { modes } from '../../../src/runtime/model/address.ts';
import { shown } from '../route/description.ts';
import { object, oneOf, text, textOrNull, time, timeOrNull } from './parts.ts';

export const keyKinds = ['secret', 'publishable'] as const;
export const keyAccesses = ['full', 'read'] as const;

const fields = {
  id: text('Id of the key record, `key_...`. Not the key itself.'),
  name: textOrNull('Its name, for people.'),
  kind: oneOf(keyKinds, '`secret`: for servers. `publishable`: for browsers, can read little.'),
  mode: oneOf(modes, 'Which data its requests see.'),
  access: oneOf(keyAccesses, '`read`: it changes nothing. A publishable key is always `read`.'),
  prefix: text('How the key begins.'),
  last4: text('How it ends.'),
  apiVersion: text('The version of the API when it was created.'),
  createdAt: time('When it was created.'),
  expiresAt: timeOrNull('When it stops working. null: never.'),
  revokedAt: timeOrNull('When it was revoked.'),
  lastUsedAt: timeOrNull('When it was last used; up to some minutes old.'),
};

export const apiKey = shown(object('ApiKey', 'An API key without its text.', fields), {
  id: 'key_zp9vha09b73rh55ws4ey4242',
  name: 'Server',
  kind: 'secret',
  mode: 'live',
  access: 'full',
  prefix: 'sk_live_',
  last4: 'BeuA',
  apiVersion: '2026-11-20',
  createdAt: '2026-11-21T15:38:20.479Z',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
});

const { example } = apiKey;

export const newApiKey = shown(
  object('NewApiKey', 'An API key with its text, which is shown this once.', {
    ...fields,
    key: text('The key itself. Only its hash is stored: keep it.'),
  }),
  { ...example, key: 'sk_live_zvS9VCmfJnNKRIwBz2R204N4dWLWBeuA' },
);

export const revokedApiKey = shown(apiKey.schema, { ...example, revokedAt: '2026-11-21T16:02:11.318Z' });
