/** GET /sim: what the simulator is, which providers it plays, how to cause failures. A page for people,
 *  JSON for programs.
 *  1. It shows only what is the same for everyone: payments are shown only with their project's key. */
import { providerNames } from '../../src/providers/catalog.ts';
import { prefersHtml } from '../server/accept.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { jsonReply } from '../http/route/reply.ts';
import { pageHeaders } from '../pages/headers.ts';
import { html, page, type Html } from '../pages/html.ts';
import type { SimulatorDeps } from './payments.ts';
import { allSimulated } from './simulated.ts';
import { stylePath } from './style.ts';
import type { LoginField, Wallet } from './wallet.ts';

type HomeDeps = Pick<SimulatorDeps, 'baseUrl' | 'guide'>;

const varies = { Vary: 'Accept' };

export const homeDoors = (deps: HomeDeps): readonly Door[] =>
  ['/sim', '/sim/'].map((path) => ({
    method: 'GET',
    path,
    lateHeaders: [],
    handle: async (request) => home(deps, request),
  }));

function home(deps: HomeDeps, request: DoorRequest): DoorReply {
  return prefersHtml(request.header('accept'))
    ? { status: 200, headers: { ...pageHeaders(), ...varies }, body: homePage(deps) }
    : jsonReply(200, summary, varies);
}

const wallets = allSimulated.flatMap(({ buyersPayBy }) => (buyersPayBy.is === 'wallet' ? [buyersPayBy] : []));

const summary = JSON.stringify({
  simulator: 'plays the providers of sandbox payments; no real money moves',
  providers: providerNames,
  testBuyers: Object.fromEntries(
    wallets.map(({ provider, loginFields }) => [
      provider,
      Object.fromEntries(loginFields.map(({ name, values }) => [name, values])),
    ]),
  ),
  payments: '/sim/control/payments',
  faults: '/sim/control/faults',
  documentation: 'docs/guides/sandbox.md, beside the program',
});

const homePage = ({ baseUrl, guide }: HomeDeps): string =>
  page({
    title: 'Provider simulator - no real money',
    stylesheet: stylePath,
    body: html`<main>
<header><h1>Provider simulator</h1><p class="warning">Sandbox. No real money moves here.</p></header>
<p>It plays the payment providers, over real HTTP and in their own words. Open the payment page of a sandbox checkout,
choose a provider, and you are sent here to log in as a test buyer and press what this buyer should do.</p>
<div class="buttons"><a class="primary" href="/">Go to the start page</a></div>
${allSimulated.map(({ buyersPayBy }) => (buyersPayBy.is === 'wallet' ? walletPart(buyersPayBy) : buyersPayBy.home))}
${paymentsPart(baseUrl)}
${faultsPart(baseUrl, guide)}
</main>`,
  });

const walletPart = ({ title, provider, loginFields }: Wallet): Html => html`<section>
<h2>${title}</h2>
<dl class="bill">
<div><dt>Provider</dt><dd><code>${provider}</code></dd></div>
${loginFields.map(
  (field) => html`<div><dt>${field.label}</dt><dd><code>${valuesOf(field)}</code></dd></div>`,
)}
</dl>
</section>`;

/** `9800000000 to 9800000005`: the values count up. */
const valuesOf = ({ values }: LoginField): string =>
  values.length > 1 ? `${values[0] ?? ''} to ${values.at(-1) ?? ''}` : (values[0] ?? '');

const call = (text: string): Html => html`<p class="line"><code>${text}</code></p>`;
/** A call with the secret key, on several lines. */
const curl = (address: string, body?: string): Html =>
  call(
    [
      `curl -s ${address}`,
      `-H "Authorization: Bearer $KEY"`,
      ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
    ].join(' \\\n  '),
  );

const brokenAnswers = '{"faults":[{"provider":"wallet_b","call":"lookup","kind":"http_502","times":3}]}';

const paymentsPart = (baseUrl: string): Html => html`<section>
<h2>Payments it knows</h2>
<p>They are shown to the secret sandbox key of their project, each with every exchange about it, and with its ledger:
the amount, what was sent back, and how many refund calls the provider has received:</p>
${curl(`${baseUrl}/sim/control/payments`)}
<p>The page of a paid payment shows the ledger too. There, or by this call, the merchant refunds in the provider's
portal:</p>
${curl(`${baseUrl}/sim/control/payments/$REFERENCE/refund`, '{"amount":25050}')}
<div class="buttons"><a href="/dashboard">Our own side: the dashboard</a></div>
</section>`;

const faultsPart = (baseUrl: string, guide: string | null): Html => html`<section>
<h2>Make things go wrong</h2>
<p>The wallets' pages have buttons for it: lose the redirect, pay twice, wait. A call plays the buyer with any outcome,
for example money that comes late:</p>
${curl(`${baseUrl}/v1/test/checkout/$ID/simulate`, '{"outcome":"late_success","provider":"wallet_b"}')}
<p>And a fault makes the provider itself misbehave, here by three broken answers:</p>
${curl(`-X PUT ${baseUrl}/sim/control/faults`, brokenAnswers)}
${
  guide === null
    ? html`<p>All outcomes, all faults and the test clock: docs/guides/sandbox.md, beside the program.</p>`
    : html`<div class="buttons"><a href="${guide}">All outcomes, all faults, the test clock</a></div>`
}
</section>`;
