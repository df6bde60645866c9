/** A payment link and its buyers, for tests of the link alone. */
import { assert } from '../../../src/kernel/assert.ts';
import { days, hours, type Instant } from '../../../src/kernel/time.ts';
import { scopeOf } from '../../../src/runtime/model/address.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import type {
  LinkedOrder,
  LinkRequest,
  LinkStatus,
  PaymentLinkTypes,
} from '../../../actors/payment-link/messages.ts';
import { paymentLink } from '../../../actors/payment-link/payment-link.ts';

export type LinkStory = Story<PaymentLinkTypes>;

const who = { id: 'lnk_95b8gyms01jca1adzbbb3ghk', scope: scopeOf('prj_pjc0e83mhrawse3s6h8bhrbw', 'sandbox') };

export const request: LinkRequest = {
  name: 'Workshop seat',
  description: null,
  amount: 50_000,
  minAmount: null,
  maxAmount: null,
  maxUses: null,
  expiresAt: null,
  returnUrl: null,
  collectAddress: false,
  metadata: {},
};

export const opened = (more: Partial<LinkRequest> = {}): LinkStory =>
  given(paymentLink, who).when('open', {
    ...request,
    ...more,
    referenceId: 'PL-7K2M9Q4X',
    url: 'https://pay.example/link/PL-7K2M9Q4X',
  });

export const sessionId = (n: number): string => `cs_${String(n).padStart(24, '0')}`;

/** Buyer n submits the form. */
export const reserved = (story: LinkStory, n: number, amount: number | null = null): LinkStory =>
  story.when('reserve', { sessionId: sessionId(n), amount, checkoutUrl: `https://pay.example/pay/${n}` });

/** The order of the session opened last. */
export function orderOf(story: LinkStory): LinkedOrder {
  const tell = story.tells.findLast(({ command }) => command === 'openByLink');
  assert(tell !== undefined, 'a session was opened');
  return (tell.data as unknown as { readonly order: LinkedOrder }).order;
}

export const paid = (story: LinkStory, held: Instant | null): LinkStory =>
  story.when('sessionPaid', { paymentId: 'pay_4t8z1m6q3x9k2v7b', held });

export const later = (story: LinkStory): Instant => story.now + days(30);

/** A link that came to this status in the usual way; `left`: how many more payments it could take. */
export function inStatus(status: LinkStatus, left: number): LinkStory {
  if (status === 'completed') return paid(opened({ maxUses: 1, expiresAt: opened().now + hours(1) }), null);
  const story = paid(opened({ maxUses: 1 + left, expiresAt: opened().now + hours(1) }), null);
  if (status === 'inactive') return story.when('change', { active: false });
  return status === 'expired' ? story.wait(hours(1)) : story;
}
