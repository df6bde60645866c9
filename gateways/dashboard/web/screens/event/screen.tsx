/** One event: its body as webhooks carry it, and where it was sent. */
import { useAsked } from '../../asked.ts';
import { eventRoute, eventsEntry, eventsRoute, webhooksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Code, Id } from '../../parts/copy.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { SentDeliveries, sentDeliveriesOf } from '../../parts/sent-deliveries.tsx';
import { When } from '../../parts/when.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { ShopEvent } from '../../wire/types.ts';

export const event = screen({
  route: eventRoute,
  title: ({ id }, known) => `${known?.type ?? 'Event'} ${id}`,
  navigation: eventsEntry,
  follows: ['delivery', 'endpoint'],
  load: ({ api, place }, { id }) => ({ key: `event ${id}`, ask: () => api.event(place, id) }),
  view: OneEvent,
});

function OneEvent({ params: { id }, asked }: Viewed<{ readonly id: string }, ShopEvent>) {
  const { to, now } = useScreenContext();
  const { value, failure, again } = asked;
  return (
    <main class="page" id="main">
      <BackLink to={to(eventsRoute.at({}))}>Events</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>{value?.type ?? 'Event'}</h1>
        <Id id={id} what="event id" />
      </div>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={5} what="the event" />}
      {value !== null && (
        <div class="columns even">
          <section class="slip lone act" aria-labelledby="event-body">
            <h2 id="event-body">Body</h2>
            <p class="soft">
              <When at={value.timestamp} now={now} />
            </p>
            <Code what="Body of the event" text={JSON.stringify(value, null, 2)} />
          </section>
          <section class="slip lone act" aria-labelledby="event-sent">
            <h2 id="event-sent">Deliveries</h2>
            <Deliveries eventId={id} />
          </section>
        </div>
      )}
    </main>
  );
}

function Deliveries({ eventId }: { readonly eventId: string }) {
  const { api, place, to } = useScreenContext();
  const { value, failure, again } = useAsked(`event sent ${eventId}`, () =>
    sentDeliveriesOf(api, place, () => [eventId]),
  );
  if (value === null) {
    if (failure !== null) return <Failed failure={failure} again={again} />;
    return <Loading lines={2} what="deliveries" />;
  }
  if (value.length === 0) {
    return (
      <p class="soft">
        It was sent to no server. Events go to your <a href={to(webhooksEntry.link)}>endpoints</a>.
      </p>
    );
  }
  return <SentDeliveries sent={value} />;
}
