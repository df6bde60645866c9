/** Texts that change when what waits for a person may have changed. Pure. */
import type { Delivery, Payment, Refund } from '../wire/types.ts';
import type { LiveState, Received } from './live-state.ts';

/** Of the payments under review that were received. */
export const reviewMarks = (payments: Received<Payment>): string =>
  marksOf(payments, ({ needsReview }) => needsReview);

export const attentionMarks = ({ payments, refunds, deliveries }: LiveState): string =>
  [
    reviewMarks(payments),
    marksOf(refunds, ({ status }: Refund) => status === 'requires_action'),
    marksOf(deliveries, ({ status }: Delivery) => status === 'retrying' || status === 'failed'),
  ].join('|');

const marksOf = <Item>(received: Received<Item>, waits: (item: Item) => boolean): string =>
  [...received]
    .flatMap(([id, { data }]) => (waits(data) ? [id] : []))
    .toSorted()
    .join(' ');
