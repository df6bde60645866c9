/** The payment link kind. */
import { minutes } from '../../src/kernel/time.ts';
import type { Kind, MakeSample } from '../kind.ts';
import type { LinkState } from './messages.ts';
import { paymentLink } from './payment-link.ts';
import { paidLinkData } from './view.ts';

const sampleId = 'lnk_00000000000000000000samp';

const paid: MakeSample = ({ scope, now }) => {
  const link: LinkState = {
    status: 'active',
    referenceId: 'PL-0000SAMP',
    name: 'Workshop seat',
    description: null,
    amount: 125_050,
    minAmount: null,
    maxAmount: null,
    url: 'https://pay.example/link/PL-0000SAMP',
    maxUses: 20,
    usedCount: 1,
    expiresAt: null,
    returnUrl: null,
    collectAddress: false,
    metadata: {},
    held: [],
    recent: [],
    sequence: 2,
    createdAt: now - minutes(2),
    updatedAt: now,
  };
  return paidLinkData(link, { id: sampleId, scope }, 'pay_000000000000samp');
};

export const paymentLinkKind = {
  actor: paymentLink,
  events: { 'payment_link.paid': paid },
} as const satisfies Kind;
