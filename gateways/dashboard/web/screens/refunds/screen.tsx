/** The list of refunds, with those that require action one chip away. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { refundRows, unlistedRefunds } from '../../lists/refund-rows.ts';
import type { RowProps } from '../../parts/list-section.tsx';
import { RefundItem } from '../../parts/refund-item.tsx';
import { paymentRoute, refundsEntry, refundsRoute } from '../../places.ts';
import type { Refund } from '../../wire/types.ts';
import { choicesOf, refundStates } from '../../words/words.ts';

export const refunds = listScreen({
  route: refundsRoute,
  title: 'Refunds',
  navigation: refundsEntry,
  follows: [],
  from: 'GET /v1/refunds',
  what: ['refund', 'refunds'],
  lead: 'Some providers have no refund call: refund those in the provider’s portal, then mark them here.',
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [['', 'All'], ...choicesOf(refundStates)],
    },
    csv: 'refunds',
  },
  shown: (listed, { filters: { status } }, { liveState: { refunds, epoch } }) => ({
    rows: refundRows(listed, refunds),
    unlisted: unlistedRefunds(listed, refunds, status, epoch),
  }),
  rows: { columns: 'refunds listed', row: RefundRow },
  empty: {
    sign: 'back',
    title: 'Nothing was refunded yet',
    text: 'Open a paid payment to give it back in whole or in part.',
  },
  noMatch: ({ status }) =>
    status === 'requires_action'
      ? { sign: 'check', title: 'Nothing waits for you' }
      : { title: 'No refund is like that' },
});

function RefundRow({ row, again }: RowProps<Refund>) {
  const { to } = useScreenContext();
  return (
    <RefundItem refund={row} onSettled={again}>
      <a href={to(paymentRoute.at({ id: row.paymentId }))}>Payment {row.paymentId.slice(4, 10)}</a>
    </RefundItem>
  );
}
