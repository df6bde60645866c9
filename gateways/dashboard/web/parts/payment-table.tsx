/** Payments as rows of a table, under the day on which they began. On a phone each row is a small slip.
 *  Roles are explicit: a table drawn as a grid by the stylesheet stays a table for screen readers. */
import { Fragment } from 'preact';
import { useScreenContext } from '../context.ts';
import { paymentRoute } from '../screens/payment/route.ts';
import type { Payment } from '../wire/types.ts';
import { agoText, dayOf, dayText } from '../words/time.ts';
import { failureWord, needsReviewWords, paymentStates, providerWord, wordsOf } from '../words/words.ts';
import { Amount, Said, Tag, Tile } from './marks.tsx';
import { When } from './when.tsx';

/** How long a row is highlighted after a change. */
const freshMs = 2_500;

export function PaymentTable({ rows }: { readonly rows: readonly Payment[] }) {
  const { now } = useScreenContext();
  return (
    <table class="book" role="table">
      <caption class="unseen">Payments, newest first</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['State', 'Buyer', 'Provider', 'Amount', 'Begun'].map((name) => (
            <th key={name} role="columnheader" scope="col" class={name === 'Amount' ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((payment, at) => (
          <Fragment key={payment.id}>
            {isNewDay(rows, at) && (
              <tr role="row" class="day">
                <th role="rowheader" scope="rowgroup" colSpan={5}>
                  {dayText(Date.parse(payment.createdAt), now)}
                </th>
              </tr>
            )}
            <PaymentRow payment={payment} />
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function PaymentRow({ payment }: { readonly payment: Payment }) {
  const { liveState, now, to } = useScreenContext();
  const changedAt = liveState.payments.get(payment.id)?.changedAt ?? null;
  // two names for one animation: a second change in a row is animated as well
  const fresh =
    changedAt !== null && Date.now() - changedAt < freshMs ? ` fresh-${payment.sequence % 2}` : '';
  return (
    <tr role="row" class={`row${fresh}`}>
      <td role="cell" class="state">
        <Tag words={wordsOf(paymentStates, payment.status)} />
        {payment.needsReview && <Tag words={needsReviewWords} />}
      </td>
      <td role="cell" class="buyer">
        <a class="whole" href={to(paymentRoute.at({ id: payment.id }))}>
          <BuyerName payment={payment} />
        </a>
        <span class="soft">
          {noteOn(payment)}
          {/* shown here where there is no room for its own column */}
          <span class="ago-here" aria-hidden="true">
            {noteOn(payment) === '' ? '' : ' · '}
            {agoText(Date.parse(payment.createdAt), now)}
          </span>
        </span>
      </td>
      <td role="cell" class="provider">
        <Tile provider={payment.provider} />
        <span class="name">{providerWord(payment.provider)}</span>
      </td>
      <td role="cell" class="number">
        <Amount paisa={payment.amount} />
      </td>
      <td role="cell" class="begun">
        <When at={payment.createdAt} now={now} underDay />
      </td>
    </tr>
  );
}

const BuyerName = ({ payment }: { readonly payment: Payment }) => {
  const { name, email, phone } = payment.customer ?? { name: null, email: null, phone: null };
  const known = name ?? email ?? phone;
  return known === null ? (
    <span class="nameless">Payment {payment.id.slice(4, 10)}</span>
  ) : (
    <Said text={known} />
  );
};

/** The shop's reference, or the reason why it is not paid. */
function noteOn({ failureCode, late, duplicate, metadata, refundedAmount, status }: Payment): string {
  if (failureCode !== null && status !== 'success') return failureWord(failureCode);
  const order = metadata['order_id'] ?? metadata['orderId'];
  return [
    typeof order === 'string' || typeof order === 'number' ? `Order ${order}` : '',
    late ? 'paid late' : '',
    duplicate ? 'paid twice' : '',
    refundedAmount > 0 ? 'refunded in part' : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function isNewDay(rows: readonly Payment[], at: number): boolean {
  const [before, row] = [rows[at - 1], rows[at]];
  if (row === undefined) return false;
  return before === undefined || dayOf(Date.parse(before.createdAt)) !== dayOf(Date.parse(row.createdAt));
}
