/** The checkout session of a payment, and the buyer's other attempts in it. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { paymentRoute, paymentsRoute } from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { newerOf } from '../../lists/received.ts';
import type { Checkout } from '../../wire/types.ts';
import {
  flowWord,
  paymentStates,
  providerWord,
  sessionStates,
  sourceWord,
  wordsOf,
} from '../../words/words.ts';
import { Id } from '../../parts/copy.tsx';
import { FactList, UserText, Tag } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { Ago, When } from '../../parts/when.tsx';

export interface SessionCardProps {
  readonly sessionId: string;
  readonly paymentId: string;
}

export function SessionCard({ sessionId, paymentId }: SessionCardProps) {
  const { api, place, liveState } = useScreenContext();
  const asked = useAsked(`checkout ${sessionId}`, () =>
    api.call('GET /v1/checkout/{id}', place, { id: sessionId }),
  );
  const kept = liveState.checkouts.get(sessionId)?.data;
  const session = newest(asked.value, kept);
  return (
    <section class="slip lone act" aria-labelledby="session">
      <h2 id="session">Checkout session</h2>
      {session === null && asked.failure === null && <Loading lines={3} what="the session" />}
      {session === null && asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {session !== null && (
        <>
          <SessionFacts session={session} />
          {session.attempts > 1 && <OtherTries session={session} paymentId={paymentId} />}
        </>
      )}
    </section>
  );
}

const newest = (answered: Checkout | null, heard: Checkout | undefined): Checkout | null =>
  heard !== undefined && heard.sequence > (answered?.sequence ?? 0) ? heard : answered;

function SessionFacts({ session }: { readonly session: Checkout }) {
  const { now } = useScreenContext();
  const isOpen = session.status === 'pending' || session.status === 'initiated';
  return (
    <FactList
      of={[
        ['State', <Tag words={wordsOf(sessionStates, session.status)} />],
        ['Id', <Id id={session.id} what="session id" />],
        session.description !== null && ['Description', <UserText text={session.description} />],
        session.referenceId !== null && ['Your reference', <UserText text={session.referenceId} />],
        [
          'Came by',
          <>
            {sourceWord(session.source)}
            <span class="soft below">{flowWord(session.flow)}</span>
          </>,
        ],
        [
          isOpen ? 'Open until' : 'Ended',
          <When at={isOpen ? session.expires_at : session.updatedAt} now={now} />,
        ],
        isOpen &&
          session.checkout_url !== null && [
            'Buyer’s page',
            <a href={session.checkout_url} target="_blank" rel="noopener noreferrer">
              Open it
            </a>,
          ],
      ]}
    />
  );
}

function OtherTries({ session, paymentId }: { readonly session: Checkout; readonly paymentId: string }) {
  const { api, place, liveState, now, to } = useScreenContext();
  const query = new URLSearchParams({ sessionId: session.id, limit: '10' });
  const asked = useAsked(`tries ${session.id} ${session.attempts}`, () =>
    api.call('GET /v1/payments', place, { query }),
  );
  const others = (asked.value?.data ?? []).filter(({ id }) => id !== paymentId);
  if (others.length === 0) return null;
  const all = to(paymentsRoute.at({ filters: { find: session.id } }));
  return (
    <>
      <h3>
        Other tries of this buyer <a href={all}>See all</a>
      </h3>
      <ul class="sent">
        {others
          .map((row) => newerOf(row, liveState.payments.get(row.id)))
          .map((payment) => (
            <li key={payment.id} class="row">
              <Tag words={wordsOf(paymentStates, payment.status)} />
              <div class="words">
                <a class="whole" href={to(paymentRoute.at({ id: payment.id }))}>
                  {displayNpr(payment.amount)}
                </a>
                <span class="soft">{providerWord(payment.provider)}</span>
              </div>
              <span class="soft end">
                <Ago at={payment.createdAt} now={now} />
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}
