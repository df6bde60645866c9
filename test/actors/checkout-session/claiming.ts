/** Sessions of invoices and the answers of their subscription, for the tests beside this file. */
import { assert } from '../../../src/kernel/assert.ts';
import { created, pay, type SessionStory } from './buyer.ts';

export const invoice = {
  source: 'invoice',
  returnUrl: null,
  invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
  customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
  subscriptionId: 'sub_11tp7r3ewecer10mt5bwmx93',
} as const;

export const forInvoice = (): SessionStory => created(invoice);

/** What the subscription was told, oldest first: `claim pay_1`, `sessionOver`. */
export const told = ({ tells }: SessionStory): readonly string[] =>
  tells
    .filter(({ to }) => to === `subscription/${invoice.subscriptionId}`)
    .map(({ command, data }) => {
      const { paymentId } = data as { readonly paymentId?: string };
      return paymentId === undefined ? command : `${command} ${paymentId}`;
    });

/** The subscription answers the claim of attempt n. */
export function claimAnswered(story: SessionStory, n = 1, as: 'paid' | 'duplicate' = 'paid'): SessionStory {
  assert(told(story).includes(`claim ${pay(n)}`), `attempt ${n} was claimed`);
  return story.when('claimed', { paymentId: pay(n), duplicate: as === 'duplicate' });
}

/** Nobody has this subscription. */
export function claimRefused(story: SessionStory, n = 1): SessionStory {
  assert(told(story).includes(`claim ${pay(n)}`), `attempt ${n} was claimed`);
  return story.refuse('claim', 'not_found');
}
