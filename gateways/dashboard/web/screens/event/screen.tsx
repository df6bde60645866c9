/** One event: its body as webhooks carry it, and where it was sent. */
import { detailScreen, type DetailProps } from '../../detail-screen.tsx';
import { useAsked } from '../../asked.ts';
import { eventRoute, eventsEntry, webhooksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { Code } from '../../parts/copy.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { SentDeliveries, sentDeliveriesOf } from '../../parts/sent-deliveries.tsx';
import { When } from '../../parts/when.tsx';
import type { ShopEvent } from '../../wire/types.ts';

export const event = detailScreen<ShopEvent>({
  route: eventRoute,
  navigation: eventsEntry,
  follows: ['delivery', 'endpoint'],
  kind: 'Event',
  idWord: 'event id',
  back: ['Events', eventsEntry.link],
  load: ({ api, place }, { id }) => ({
    key: `event ${id}`,
    ask: () => api.call('GET /v1/events/{id}', place, { id }),
  }),
  name: ({ type }) => type,
  heading: ({ type }) => type,
  tab: (known, { id }) => `${known?.type ?? 'Event'} ${id}`,
  view: Whole,
});

function Whole({ known, params: { id } }: DetailProps<ShopEvent>) {
  const { now } = useScreenContext();
  return (
    <div class="columns even">
      <section class="slip lone act" aria-labelledby="event-body">
        <h2 id="event-body">Body</h2>
        <p class="soft">
          <When at={known.timestamp} now={now} />
        </p>
        <Code what="Body of the event" text={JSON.stringify(known, null, 2)} />
      </section>
      <section class="slip lone act" aria-labelledby="event-sent">
        <h2 id="event-sent">Deliveries</h2>
        <Deliveries eventId={id} />
      </section>
    </div>
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
