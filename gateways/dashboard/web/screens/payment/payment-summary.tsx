/** A payment as a slip: the amount and its status, and its details beside the fold. */
import { useScreenContext } from '../../context.ts';
import { invoiceRoute } from '../../places.ts';
import type { Payment } from '../../wire/types.ts';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { notesOn } from './notes.ts';
import {
  failureWord,
  knownFeeOf,
  needsReviewWords,
  paymentStates,
  providerWord,
  wordsOf,
} from '../../words/words.ts';
import { Id } from '../../parts/copy.tsx';
import { Amount, Fact, Glyph, UserText, Tag, Tile } from '../../parts/marks.tsx';
import { When } from '../../parts/when.tsx';

export function PaymentSummary({ payment }: { readonly payment: Payment }) {
  const { now } = useScreenContext();
  return (
    <section class="slip split" aria-label="What it is">
      <div class="order">
        <div class="tags">
          <Tag words={wordsOf(paymentStates, payment.status)} />
          {payment.needsReview && <Tag words={needsReviewWords} />}
        </div>
        <p class="amount">
          <Amount paisa={payment.amount} />
        </p>
        <BuyerLines payment={payment} />
        <p class="until">
          <Glyph name="clock" />
          <span>
            {payment.paidAt === null ? 'Begun ' : 'Paid '}
            <When at={payment.paidAt ?? payment.createdAt} now={now} />
          </span>
        </p>
      </div>
      <div class="fold" aria-hidden="true" />
      <div class="act">
        {notesOn(payment).map((note) => (
          <div class="notice" key={note.title}>
            <Glyph name="note" />
            <div>
              <strong>{note.title}</strong>
              {note.text}
            </div>
          </div>
        ))}
        <Facts payment={payment} />
      </div>
    </section>
  );
}

/** Who pays; where the shop named nobody, for what. */
function BuyerLines({ payment: { customer, description } }: { readonly payment: Payment }) {
  const lines = [customer?.email ?? null, customer?.phone ?? null].filter((text) => text !== null);
  const name = customer?.name ?? null;
  if (name === null && lines.length === 0) {
    const isNamed = description !== undefined && description !== null;
    return <p class="what">{isNamed ? <UserText text={description} /> : 'The shop named no buyer'}</p>;
  }
  return (
    <div class="what">
      {name !== null && (
        <p class="buyer-name">
          <UserText text={name} />
        </p>
      )}
      {lines.map((line) => (
        <p key={line}>
          <UserText text={line} />
        </p>
      ))}
    </div>
  );
}

function Facts({ payment }: { readonly payment: Payment }) {
  const { now, to } = useScreenContext();
  const { provider, providerRef, traceId, invoiceId, walletAIntent = null } = payment;
  const { failureCode, failureReason, refundedAmount, metadata } = payment;
  const fee = knownFeeOf(payment);
  return (
    <dl class="facts">
      <Fact name="Provider">
        <span class="with-tile">
          <Tile provider={provider} />
          {providerWord(provider)}
        </span>
      </Fact>
      {invoiceId !== null && (
        <Fact name="Pays">
          <a href={to(invoiceRoute.at({ id: invoiceId }))}>Its invoice</a>
        </Fact>
      )}
      {providerRef !== null && (
        <Fact name="Its reference">
          <Id id={providerRef} what="provider reference" />
        </Fact>
      )}
      {traceId !== null && (
        <Fact name="Its trace id">
          <Id id={traceId} what="trace id" />
        </Fact>
      )}
      {walletAIntent !== null && (
        <>
          <Fact name="Booking id">
            <Id id={walletAIntent.bookingId} what="booking id" />
          </Fact>
          <Fact name="Correlation id">
            <Id id={walletAIntent.correlationId} what="correlation id" />
            <span class="soft below">Booked in the wallet’s app. Its support asks for both ids.</span>
          </Fact>
        </>
      )}
      {failureCode !== null && (
        <Fact name="Why">
          {failureWord(failureCode)}
          {failureReason !== null && failureReason !== failureCode && (
            <span class="soft below">
              <UserText text={failureReason} />
            </span>
          )}
        </Fact>
      )}
      {refundedAmount > 0 && <Fact name="Refunded">{displayNpr(refundedAmount)}</Fact>}
      {fee !== null && <Fact name="Provider’s fee">{displayNpr(fee)}</Fact>}
      <Fact name="Begun">
        <When at={payment.createdAt} now={now} />
      </Fact>
      {payment.updatedAt !== payment.createdAt && (
        <Fact name="Last change">
          <When at={payment.updatedAt} now={now} />
        </Fact>
      )}
      {Object.entries(metadata).map(([key, value]) => (
        <Fact key={key} name={key}>
          <UserText text={typeof value === 'string' ? value : JSON.stringify(value)} />
        </Fact>
      ))}
    </dl>
  );
}
