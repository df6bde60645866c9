/** One event on its way to one endpoint: what is sent, the answer, each try, and the button that sends it again. */
import { detailScreenOf, type DetailProps } from '../../detail-screen.tsx';
import { useScreenContext } from '../../context.ts';
import { deliveryRoute, endpointRoute, paymentRoute, webhooksEntry } from '../../places.ts';
import { aboutOf, newerDelivery } from '../../lists/delivery-rows.ts';
import { Code, Id } from '../../parts/copy.tsx';
import { EachTry, EndedEarly, EndpointName, isUnsent, SentHeaders, useTries } from './delivery-tries.tsx';
import { Amount, FactList, UserText, Tag } from '../../parts/marks.tsx';
import { Loading } from '../../parts/notices.tsx';
import { When } from '../../parts/when.tsx';
import type { Delivery, Tries } from '../../wire/types.ts';
import { durationText } from '../../words/time.ts';
import { deliveryStates, wordsOf } from '../../words/words.ts';
import { SendAgain } from './send-again.tsx';

export const delivery = detailScreenOf({
  route: deliveryRoute,
  navigation: webhooksEntry,
  follows: ['delivery', 'endpoint'],
  kind: 'Delivery',
  idWord: 'event id',
  idOf: ({ eventId }) => eventId,
  back: ['Endpoint', ({ endpointId }) => endpointRoute.at({ id: endpointId })],
  load: ({ api, place }, { endpointId, eventId }) => ({
    key: `delivery ${endpointId} ${eventId}`,
    ask: () =>
      api.call('GET /v1/webhooks/{id}/deliveries', place, {
        id: endpointId,
        query: new URLSearchParams({ eventId, limit: '1' }),
      }),
  }),
  newest: (answered, _params, { liveState: { deliveries, epoch } }) => {
    const listed = answered?.data[0] ?? null;
    return listed === null ? null : newerDelivery(listed, deliveries.get(listed.id), epoch);
  },
  name: ({ eventType }) => eventType,
  heading: ({ eventType }) => eventType,
  tab: (known, { eventId }) => `${known?.eventType ?? 'Event'} ${eventId} · Delivery`,
  missing: {
    sign: 'send',
    title: 'This event never went to this endpoint',
    text: 'Perhaps the endpoint was created later, or it does not receive this kind of event.',
  },
  view: Whole,
});

function Whole({ known: delivery, again }: Pick<DetailProps<Delivery>, 'known' | 'again'>) {
  const tries = useTries(delivery);
  const againWithTries = (): void => {
    again();
    tries.again();
  };
  // what can be done depends on the endpoint: all of it appears at once
  if (tries.value === null && tries.failure === null) return <Loading lines={5} what="the delivery" />;
  return (
    <>
      <section class="slip split" aria-label="How it stands">
        <div class="order">
          <div class="tags">
            <Tag words={wordsOf(deliveryStates, delivery.status)} />
          </div>
          <WhatItIsAbout delivery={delivery} />
          <EndedEarly tries={tries.value} />
          <SendAgain delivery={delivery} tries={tries.value} again={againWithTries} />
        </div>
        <div class="fold" aria-hidden="true" />
        <div class="act">
          <DeliveryFacts delivery={delivery} tries={tries.value} />
        </div>
      </section>
      <div class="columns even">
        <section class="slip lone act" aria-labelledby="sent-body">
          <h2 id="sent-body">What is sent</h2>
          {delivery.payload === null ? (
            <Loading lines={4} what="the event" />
          ) : (
            <Code what="Body of the request" text={JSON.stringify(delivery.payload, null, 2)} />
          )}
        </section>
        <div class="side">
          <section class="slip lone act" aria-labelledby="answered">
            <h2 id="answered">What was answered</h2>
            <Answer delivery={delivery} />
          </section>
          <SentHeaders asked={tries} />
        </div>
      </div>
      <EachTry asked={tries} delivery={delivery} />
    </>
  );
}

function WhatItIsAbout({ delivery }: { readonly delivery: Delivery }) {
  const { to } = useScreenContext();
  const { paymentId, amount, buyer, isTest } = aboutOf(delivery);
  return (
    <>
      {amount !== null && (
        <p class="amount">
          <Amount paisa={amount} />
        </p>
      )}
      <div class="what">
        {isTest && <p>A test: what it tells of has not happened.</p>}
        {buyer !== null && (
          <p class="buyer-name">
            <UserText text={buyer} />
          </p>
        )}
        {paymentId !== null && (
          <p>
            <a href={to(paymentRoute.at({ id: paymentId }))}>See the payment</a>
          </p>
        )}
      </div>
    </>
  );
}

interface FactsProps {
  readonly delivery: Delivery;
  readonly tries: Tries | null;
}

function DeliveryFacts({ delivery, tries }: FactsProps) {
  const { now } = useScreenContext();
  const { id, attempts, lastAttemptAt, nextAttemptAt, createdAt } = delivery;
  return (
    <FactList
      of={[
        ['Endpoint', <EndpointName endpointId={delivery.webhookEndpointId} tries={tries} />],
        ['Delivery', <Id id={id} what="delivery id" />],
        ['Happened', <When at={createdAt} now={now} />],
        ['Tries', attempts],
        lastAttemptAt !== null && ['Last try', <When at={lastAttemptAt} now={now} />],
        nextAttemptAt !== null && ['Next try', <When at={nextAttemptAt} now={now} />],
      ]}
    />
  );
}

function Answer({ delivery }: { readonly delivery: Delivery }) {
  const { status, responseStatus, responseBody, durationMs, lastAttemptAt } = delivery;
  if (lastAttemptAt === null && status !== 'failed')
    return <p class="soft">Nothing yet: it was not sent so far.</p>;
  if (lastAttemptAt === null) return <p class="soft">It was never sent: {responseBody}.</p>;
  if (isUnsent(responseStatus, responseBody))
    return <p class="soft">The answer to its last try was not kept.</p>;
  const took = durationMs === null ? '' : ` after ${durationText(durationMs)}`;
  return (
    <>
      <p>
        {responseStatus === null ? `No answer${took}.` : `Status ${responseStatus}${took}.`}{' '}
        <span class="soft">{meaningOf(responseStatus)}</span>
      </p>
      {responseBody !== null && responseBody !== '' && <Code what="Body of the answer" text={responseBody} />}
    </>
  );
}

function meaningOf(status: number | null): string {
  if (status === null) return 'Is the server up, and can it be reached from here?';
  if (status >= 200 && status < 300) return 'Taken as delivered.';
  if (status === 410) return 'Gone: the endpoint is switched off by it.';
  if (status >= 300 && status < 400) return 'Redirects are not followed: register the final address.';
  return 'Only an answer from 200 to 299 counts as delivered.';
}
