/** A payment that the buyer approves in the wallet's app. A phone opens the app by itself, and goes on to the
 *  wallet's web page when it has not opened within three seconds. Any other device shows the same link as a
 *  code. Both move on by themselves.
 *  1. Only the page that follows the buyer's own choice opens the app: a reload, the back button or another
 *     tab does not.
 *  2. Without script the link and the button do the same; only the three seconds need a script. */
import { remembering } from '../../../src/kernel/remembering.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import { qrImage, qrImagePixels } from '../../http/qr-image.ts';
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { HostedTexts } from '../texts/texts.ts';
import { hostedPage } from './frame.ts';
import { soft, turningSign, verdict } from './pieces.ts';
import { foldedWays, type Waiting } from './waiting.ts';
import { cancelForm, webForm } from './ways.ts';
import { countedText } from './words.ts';

/** How long the app has to open. */
const appOpensMs: DurationMs = seconds(3);

/** Without script: as slow as other pages with buttons, as fast as other pages with a code. */
const lookAgainSecondsCalm = 15;
const lookAgainSeconds = 2;

export interface AppLink extends Waiting {
  /** The wallet's link: opens the app on a phone that has it. */
  readonly link: string;
  readonly isPhone: boolean;
  /** The buyer has just chosen the wallet: a phone opens the app now. The address through which it does. */
  readonly opens: string | null;
  /** The page that stands in for the app in the sandbox. */
  readonly simulatedApp: string | null;
}

export function appPage(of: AppLink, above: Html | null = null): string {
  const { heading, scanHeading } = textsOf(of);
  const { label } = of.running;
  return hostedPage({
    title: of.isPhone ? heading(label) : scanHeading(label),
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { ...of.live, to: of.counter.path },
    refresh: {
      seconds: of.isPhone ? lookAgainSecondsCalm : lookAgainSeconds,
      to: of.counter.path,
      scriptless: true,
    },
    main: html`${above}
${of.isPhone ? onPhone(of) : onDesktop(of)}
${foldedWays(of)}
${cancelForm(of.counter)}`,
  });
}

const textsOf = ({ locale }: Pick<AppLink, 'locale'>): HostedTexts['app'] => locale.texts.hosted.app;

function onPhone(of: AppLink): Html {
  const { openAgain, openNow } = textsOf(of);
  return html`${of.opens === null ? stateOf(of) : openingState(of, of.opens)}
<a class="button" href="${of.link}" data-app-link
data-again="${openAgain}"><span>${of.opens === null ? openAgain : openNow(of.running.label)}</span>${glyph('arrow')}</a>
${onWeb(of)}
${simulatedApp(of)}`;
}

const stateOf = (of: AppLink): Html => {
  const { heading, approve } = textsOf(of);
  return html`${verdict(heading(of.running.label))}
${soft(approve)}`;
};

/** The script shows the other texts while the app opens. Without it nothing opens the app but the buyer. */
function openingState(of: AppLink, opens: string): Html {
  const { opening, elseWeb, seconds: counted } = textsOf(of);
  const { label } = of.running;
  const time = countedText(appOpensMs / 1000, counted, of.locale.texts.times);
  return html`<div data-app-opens="${opens}" data-wait-ms="${appOpensMs}"
data-heading="${opening(label)}" data-how="${elseWeb(time)}">
<div data-app-turns hidden>${turningSign}</div>
${stateOf(of)}
</div>`;
}

function onDesktop(of: AppLink): Html {
  const { scanHeading, scan, code, noApp } = textsOf(of);
  const { label } = of.running;
  return html`<h1>${scanHeading(label)}</h1>
<div class="scan app">
<figure><img src="${imageOf(of.link)}" alt="${code(label)}" width="${qrImagePixels}" height="${qrImagePixels}"></figure>
<div class="words">
${soft(scan(label))}
${simulatedApp(of)}
</div>
</div>
<p class="next soft">${noApp}</p>
${onWeb(of)}`;
}

const onWeb = (of: AppLink): Html => webForm(of.counter, of.running.id, textsOf(of).onWeb);

const simulatedApp = (of: AppLink): Html | null =>
  of.simulatedApp === null
    ? null
    : html`<a class="quiet" href="${of.simulatedApp}" target="_blank" rel="noopener">
${textsOf(of).simulatedApp}</a>`;

/** Codes kept: as many as may be on reloading screens at once; each is about 2 kB. */
const imagesRememberedMax = 500;
const imageOf = remembering(qrImage, imagesRememberedMax);
