/** A code on the buyer's screen, to be scanned by a banking app. Moves on by itself. */
import { create } from 'qrcode';
import { remembering } from '../../../src/kernel/remembering.ts';
import { html, type Html } from '../html.ts';
import { hostedPage } from './frame.ts';
import { sign, soft, verdict } from './pieces.ts';
import { cancelForm } from './ways.ts';
import { folded, foldedWays, otherWays, type Waiting } from './waiting.ts';

/** Blank modules around the code. */
const quietModules = 4;
const lookAgainSeconds = 2;

export interface Scan extends Waiting {
  /** As the provider returned it. */
  readonly qrText: string;
  /** The buyer confirms in the app: the code is folded away. */
  readonly isScanned: boolean;
}

export function scanPage(of: Scan, above: Html | null = null): string {
  const { heading, scanned } = of.locale.texts.hosted.scan;
  return hostedPage({
    title: of.isScanned ? scanned : heading(of.running.label),
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.counter.path },
    refresh: { seconds: lookAgainSeconds, to: of.counter.path, scriptless: true },
    main: html`${above}
${of.isScanned ? confirmed(of) : toScan(of)}
${cancelForm(of.counter)}`,
  });
}

function toScan(of: Scan): Html {
  const { heading, how } = of.locale.texts.hosted.scan;
  return html`<h1>${heading(of.running.label)}</h1>
${codeAnd(of, soft(how))}
${otherWays(of)}`;
}

/** The app may have lost it: the code can be shown again. */
function confirmed(of: Scan): Html {
  const { scanned, confirm, again } = of.locale.texts.hosted.scan;
  return html`${sign('good', 'check')}
${verdict(scanned)}
${soft(confirm)}
${folded(again, codeAnd(of, null))}
${foldedWays(of)}`;
}

function codeAnd(of: Scan, how: Html | null): Html {
  const { onThisPhone, save, code, simulatedApp } = of.locale.texts.hosted.scan;
  return html`<div class="scan">
<figure aria-label="${code}" role="img">${codeOf(of.qrText)}</figure>
<div class="words">
${how}
<p class="on-this-phone">${onThisPhone}</p>
${saveLink(of.counter.path, save)}
${of.sheet.sandbox ? phoneLink(of.running.id, of.qrText, simulatedApp) : null}
</div>
</div>`;
}

/** A `download` link leaves the page open: a normal link would end its reloading without script. */
const saveLink = (path: string, words: string): Html =>
  html`<a class="button second" href="${path}/code.png" download>${words}</a>`;

/** Codes cached: as many as may be on reloading screens at once; each takes about 10 kB. */
const codesRememberedMax = 500;

/** Drawing one takes 3 ms, and a browser without script reloads it every 2 s. */
const codeOf = remembering(drawn, codesRememberedMax);

/** Drawn in runs of dark modules: sharp on any screen and on paper. */
function drawn(text: string): Html {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  let dark = '';
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      let run = 0;
      while (x + run < size && data[y * size + x + run] !== 0) run++;
      if (run > 0) dark += `M${x + quietModules} ${y + quietModules}h${run}v1h-${run}z`;
      x += run;
    }
  const side = size + 2 * quietModules;
  return html`<svg aria-hidden="true" width="100%"
viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="#fff"/><path
d="${dark}" fill="#000"/></svg>`;
}

const phoneLink = (provider: string, text: string, words: string): Html =>
  html`<a class="quiet" href="/sim/${provider}/?prn=${encodeURIComponent(text)}" target="_blank" rel="noopener">
${words}</a>`;
