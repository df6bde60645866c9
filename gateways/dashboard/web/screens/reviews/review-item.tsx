/** One review: the payment, what is doubtful about it, and what a person can do; or how it has ended. */
import type { ComponentChildren } from 'preact';
import { paymentRoute } from '../../places.ts';
import { useState } from 'preact/hooks';
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { reasonCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { focusHeading } from '../../heading.ts';
import type { Failure } from '../../wire/failure.ts';
import { readForm, requiredText } from '../../wire/form-reading.ts';
import type { Payment, ReviewItem, ReviewWay } from '../../wire/types.ts';
import { buyerText } from '../../words/buyer.ts';
import { doubtText, endWords, personText, wayWords } from './reviews.ts';
import { paymentStates, providerWord, wordsOf } from '../../words/words.ts';
import { Amount, FactList, Glyph, UserText, Tag, Tile } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';
import { RequestForm } from '../../parts/request-form.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { When } from '../../parts/when.tsx';

interface ItemProps {
  readonly item: ReviewItem;
  /** Of its session, where the buyer has no name. */
  readonly description: string | null;
}

export interface OpenReviewProps extends ItemProps {
  /** It was looked up or ended here. */
  readonly onChanged: () => void;
}

export function OpenReview({ item, description, onChanged }: OpenReviewProps) {
  const { now } = useScreenContext();
  return (
    <ReviewRow
      item={item}
      description={description}
      end={
        <>
          Since <When at={item.review.since} now={now} />
        </>
      }
    >
      <Actions item={item} onChanged={onChanged} />
    </ReviewRow>
  );
}

export function EndedReview({ item, description }: ItemProps) {
  const { now } = useScreenContext();
  const { review } = item;
  const words = endWords(review);
  return (
    <ReviewRow
      item={item}
      description={description}
      end={review.endedAt !== null && <When at={review.endedAt} now={now} />}
    >
      <p class="review-end">
        {words !== null && <Tag words={words} />}
        {review.by === null ? (
          <span>A later answer of the provider was clear.</span>
        ) : (
          <span>
            <b>
              <UserText text={personText(review.by)} />
            </b>
            {review.reason !== null && (
              <>
                : <UserText text={review.reason} />
              </>
            )}
          </span>
        )}
      </p>
    </ReviewRow>
  );
}

interface ReviewRowProps extends ItemProps {
  /** At the end of its first line. */
  readonly end: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The heading takes the focus when the form below it is closed. */
function ReviewRow({ item: { payment, review }, description, end, children }: ReviewRowProps) {
  const { to } = useScreenContext();
  const buyer = buyerText(payment.customer) ?? description;
  const asked = payment.amountExpected ?? payment.amount;
  const differs = review.amountProvider !== null && review.amountProvider !== asked;
  return (
    <li class="review" id={payment.id}>
      <div class="review-head">
        <h2 tabIndex={-1}>
          <a href={to(paymentRoute.at({ id: payment.id }))}>
            <Amount paisa={payment.amount} />
            <span class="soft">
              {buyer === null ? `Payment ${payment.id.slice(4, 10)}` : <UserText text={buyer} />}
            </span>
          </a>
        </h2>
        <Tag words={wordsOf(paymentStates, payment.status)} />
        <span class="with-tile">
          <Tile provider={payment.provider} />
          {providerWord(payment.provider)}
        </span>
        <span class="soft end">{end}</span>
      </div>
      <p>{doubtText(review)}</p>
      {(differs || review.word !== null) && (
        <FactList
          of={[
            differs && ['You asked for', displayNpr(asked)],
            differs && ['The provider names', displayNpr(review.amountProvider ?? 0)],
            review.word !== null && [
              'The provider’s own word',
              <code>
                <UserText text={review.word} />
              </code>,
            ],
          ]}
        />
      )}
      {children}
    </li>
  );
}

function Actions({ item, onChanged }: Omit<OpenReviewProps, 'description'>) {
  const { api, place, announce } = useScreenContext();
  const [way, setWay] = useState<ReviewWay | null>(null);
  const [news, setNews] = useState<string | null>(null);
  const { isBusy, failure, submit } = useSubmit();
  const { payment } = item;

  const lookUp = (): void => {
    setNews(null);
    submit(
      () => api.call('POST reviews/{id}/look-up', place, { id: payment.id }),
      (found) => {
        const news = newsOf(found);
        announce(news);
        setNews(news);
        onChanged();
      },
    );
  };
  const ended = (after: Payment): void => {
    const { amount } = payment;
    const words = way === null ? null : wayWords(way, { ...item, payment: after });
    if (words !== null) announce(`The payment of ${displayNpr(amount)} ${words.announced}.`);
    onChanged();
    // its row is about to go, with the form
    focusHeading();
  };

  if (way !== null) return <ReasonForm item={item} way={way} onDone={ended} onBack={() => setWay(null)} />;
  return (
    <>
      {failure !== null && <FormFailure failure={failure} />}
      {news !== null && <p class="review-news">{news}</p>}
      <div class="buttons">
        <button type="button" class="step" aria-busy={isBusy} onClick={lookUp}>
          <Glyph name="turn" />
          {isBusy ? 'Asking the provider' : 'Look up now'}
        </button>
        {item.review.ways.map((each) => (
          <button type="button" class="step" key={each} onClick={() => setWay(each)}>
            <Glyph name={wayWords(each, item).sign} />
            {wayWords(each, item).word}
          </button>
        ))}
      </div>
    </>
  );
}

const newsOf = ({ payment, review }: ReviewItem): string =>
  payment.needsReview
    ? `Asked just now. ${doubtText(review)}`
    : `The provider has answered: ${wordsOf(paymentStates, payment.status).word.toLowerCase()}.`;

/** What this person has read, not what the provider says by then. */
const moneyOf = (way: ReviewWay, { review: { amountProvider } }: ReviewItem): { readonly amount?: number } =>
  (way === 'keep' || way === 'refund') && amountProvider !== null ? { amount: amountProvider } : {};

interface ReasonFormProps {
  readonly item: ReviewItem;
  readonly way: ReviewWay;
  readonly onDone: (after: Payment) => void;
  readonly onBack: () => void;
}

function ReasonForm({ item, way, onDone, onBack }: ReasonFormProps) {
  const { api, place } = useScreenContext();
  const words = wayWords(way, item);
  return (
    <RequestForm
      name={words.word}
      word={words.word}
      busyWord={words.busy}
      fields={[
        () => <p>{words.ask}</p>,
        {
          name: 'reason',
          label: 'Reason',
          rows: 2,
          maxLength: reasonCharactersMax,
          note: 'Kept with your name, here and in the timeline.',
        },
      ]}
      read={(text) =>
        readForm(
          {
            reason: requiredText(
              text('reason'),
              reasonCharactersMax,
              'Write a reason: others will ask for it.',
            ),
          },
          (values) => values,
        )
      }
      send={({ reason }) =>
        api.call(`POST reviews/{id}/${way}`, place, {
          id: item.payment.id,
          body: { reason, ...moneyOf(way, item) },
        })
      }
      onDone={onDone}
      onBack={onBack}
      says={staysText}
    />
  );
}

const staysText = ({ code, message }: Failure): ComponentChildren =>
  code === 'invalid_state' || code === 'review_changed' ? (
    <div class="notice bad" role="alert">
      <Glyph name="note" />
      <div>
        <strong>{message}</strong>
        It stays as it is. Look at the provider’s portal, or dismiss the review.
      </div>
    </div>
  ) : null;
