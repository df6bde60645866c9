/** Buyers who stand at the wallet of wallet_b before the button that pays, and what they do there: pay, pay and hear
 *  nothing, start twice, come back too early, too late and many times. */
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import type { Button } from '../../src/cli/demo/html-page.ts';
import { logIn } from '../../src/cli/demo/paid.ts';
import { eventually } from '../support/eventually.ts';
import { create, type Stage } from './journey.ts';
import type { Outside, Patient } from './outside.ts';
import { shuffled } from './random.ts';

/** A look-up that hangs takes 10 s, and the next comes after 3 to 30 more. */
export const foundMsMax = 120_000;
/** How often each return comes. */
export const times = 10;

export interface AtWallet {
  readonly n: number;
  readonly id: string;
  readonly paymentId: string;
  readonly pay: Button;
}

/** A buyer of wallet_b, logged in, before the button that pays. */
export async function atWallet(stage: Stage, n: number): Promise<AtWallet> {
  const { id, checkoutUrl } = await create(stage, n);
  const wallet = await press(buttonFor(await open(checkoutUrl), 'provider', 'wallet_b'));
  const pay = buttonFor((await logIn(wallet)).value, 'do', 'pay');
  const { body } = await stage.api.must('GET', `/v1/checkout/${id}`);
  return { n, id, pay, paymentId: body.text('paymentId') };
}

/** Presses it and goes nowhere: where the wallet sends the buyer. */
export async function paidThere({ pay }: AtWallet): Promise<string> {
  const sent = await fetch(pay.action, {
    method: 'POST',
    body: new URLSearchParams([...pay.fields]),
    redirect: 'manual',
  });
  return new URL(sent.headers.get('location') ?? '', pay.action).href;
}

export async function untilPaid(
  { merchant, stage }: Patient,
  { id, n }: Pick<AtWallet, 'id' | 'n'>,
): Promise<number> {
  const from = Date.now();
  await merchant.untilStatus(id, 'success', foundMsMax);
  stage.history.add({ is: 'paid_seen', n, sessionId: id });
  return Date.now() - from;
}

/** Presses the button, and gets no answer. */
export const paysInVain = ({ pay }: AtWallet): Promise<unknown> =>
  fetch(pay.action, {
    method: 'POST',
    body: new URLSearchParams([...pay.fields]),
    signal: AbortSignal.timeout(1500),
  }).catch(() => undefined);

/** Its first start is done at the provider and never answered; milliseconds until the buyer could go on. */
export async function startedTwice(patient: Patient, n: number): Promise<number> {
  const { id, checkoutUrl } = await create(patient.stage, n);
  const from = Date.now();
  await press(buttonFor(await open(checkoutUrl), 'provider', 'wallet_b'));
  const waited = Date.now() - from;
  // while the provider's breaker is open no attempt can start
  const button = await eventually(
    async () =>
      (await open(checkoutUrl)).buttons.find(
        ({ fields, disabled }) => !disabled && fields.get('provider') === 'wallet_b',
      ) ?? null,
    () => 'wallet_b to be offered again',
    foundMsMax,
  );
  await press(buttonFor((await logIn(await press(button))).value, 'do', 'pay'));
  await untilPaid(patient, { id, n });
  return waited;
}

/** Returns in parallel, of both kinds, in an order drawn from the seed: no answer of 500 and above. */
export async function returned(
  outside: Outside,
  back: string,
  canceledToo: boolean,
): Promise<readonly string[]> {
  const other = new URL(back);
  other.searchParams.set('status', 'User canceled');
  const addresses = Array.from({ length: times }, () => back);
  if (canceledToo) addresses.push(...Array.from({ length: times / 2 }, () => other.href));
  const pages = await Promise.all(
    shuffled(outside.random, addresses).map((url) => fetch(url, { redirect: 'manual' })),
  );
  return pages.filter(({ status }) => status >= 500).map(({ status }) => `a return was answered ${status}`);
}

/** Where the buyer would be sent had he paid. */
export const earlyReturn = ({ house }: Outside, { paymentId }: AtWallet): string =>
  `${house.url}/return/wallet_b/${paymentId}/web/done?pidx=px${paymentId.slice(4)}&status=Completed&txnId=1`;
