/** Payments as rows of a table, under the day on which they began or were paid. On a phone each row is a small slip.
 *  Roles are explicit: a table drawn as a grid by the stylesheet stays a table for screen readers. */
import { Fragment } from 'preact';
import { paymentRoute } from '../places.ts';
import { useScreenContext } from '../context.ts';
import type { Payment } from '../wire/types.ts';
import { buyerText } from '../words/buyer.ts';
import { agoText, dayOf, dayText } from '../words/time.ts';
import { failureWord, needsReviewWords, paymentStates, providerWord, wordsOf } from '../words/words.ts';
import { Amount, UserText, Tag, Tile } from './marks.tsx';
import { useDescriptions } from './use-descriptions.ts';
import { When } from './when.tsx';

/** How long a row is highlighted after a change. */
const freshMs = 2_500;

export interface PaymentTableProps {
  readonly rows: readonly Payment[];
  /** The instant that orders the rows. */
  readonly by?: 'begun' | 'paid';
}

export function PaymentTable({ rows, by = 'begun' }: PaymentTableProps) {
  const { now } = useScreenContext();
  const descriptions = useDescriptions(rows);
  const atOf = ({ paidAt, createdAt }: Payment): string =>
    by === 'paid' && paidAt !== null ? paidAt : createdAt;
  const dated = rows.map((payment) => ({ payment, at: atOf(payment) }));
  return (
    <table class="book" role="table">
      <caption class="unseen">Payments, newest first</caption>
      <thead role="rowgroup">
        <tr role="row">
          {['State', 'Buyer', 'Provider', 'Amount', by === 'paid' ? 'Paid' : 'Begun'].map((name) => (
            <th key={name} role="columnheader" scope="col" class={name === 'Amount' ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {dated.map(({ payment, at }, index) => (
          <Fragment key={payment.id}>
            {isNewDay(dated[index - 1]?.at, at) && (
              <tr role="row" class="day">
                <th role="rowheader" scope="rowgroup" colSpan={5}>
                  {dayText(Date.parse(at), now)}
                </th>
              </tr>
            )}
            <PaymentRow payment={payment} at={at} description={descriptions.get(payment.sessionId) ?? null} />
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

interface NamedProps {
  readonly payment: Payment;
  /** Of its session; null: it has none, or it is not needed. */
  readonly description: string | null;
}

interface RowProps extends NamedProps {
  /** When it began or was paid. */
  readonly at: string;
}

function PaymentRow({ payment, at, description }: RowProps) {
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
          <BuyerName payment={payment} description={description} />
        </a>
        <span class="soft">
          {noteOn(payment)}
          {/* shown here where there is no room for its own column */}
          <span class="ago-here" aria-hidden="true">
            {noteOn(payment) === '' ? '' : ' · '}
            {agoText(Date.parse(at), now)}
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
        <When at={at} now={now} underDay />
      </td>
    </tr>
  );
}

const BuyerName = ({ payment, description }: NamedProps) => {
  const known = buyerText(payment.customer) ?? description;
  return known === null ? (
    <span class="nameless">Payment {payment.id.slice(4, 10)}</span>
  ) : (
    <UserText text={known} />
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

/** `before`: of the row above; undefined: it is the first. */
const isNewDay = (before: string | undefined, at: string): boolean =>
  before === undefined || dayOf(Date.parse(before)) !== dayOf(Date.parse(at));
