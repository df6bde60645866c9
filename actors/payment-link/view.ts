/** A payment link as outsiders see it. */
import { iso, isoOrNull } from '../../src/kernel/time.ts';
import { isLive, type ViewMeta } from '../../src/runtime/model/actor.ts';
import type { LinkState } from './messages.ts';

/** The Payment link object of docs/reference/api/payment-links.md. */
export const linkView = (link: LinkState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>) => ({
  id,
  livemode: isLive(scope),
  referenceId: link.referenceId,
  name: link.name,
  description: link.description,
  amount: link.amount,
  minAmount: link.minAmount,
  maxAmount: link.maxAmount,
  currency: 'NPR' as const,
  url: link.url,
  status: link.status,
  active: link.status === 'active',
  maxUses: link.maxUses,
  usedCount: link.usedCount,
  returnUrl: link.returnUrl,
  collectAddress: link.collectAddress,
  metadata: link.metadata,
  sequence: link.sequence,
  expiresAt: isoOrNull(link.expiresAt),
  createdAt: iso(link.createdAt),
  updatedAt: iso(link.updatedAt),
});

/** `data` of `payment_link.paid`. */
export const paidLinkData = (link: LinkState, where: Pick<ViewMeta, 'id' | 'scope'>, paymentId: string) => ({
  ...linkView(link, where),
  paymentId,
});
