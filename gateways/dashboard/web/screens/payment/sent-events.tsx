/** The events of a payment sent to the shop's servers, and their results. */
import { useAsked } from '../../asked.ts';
import { webhooksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { sentEvents, type SentEvent } from './timeline-runs.ts';
import type { TimelineEntry } from '../../wire/types.ts';
import { Failed, Loading } from '../../parts/notices.tsx';
import { SentDeliveries, sentDeliveriesOf, type SentDelivery } from '../../parts/sent-deliveries.tsx';

export function SentEvents({ entries }: { readonly entries: readonly TimelineEntry[] | null }) {
  const sent = sentEvents(entries ?? []);
  return (
    <section class="slip lone act" aria-labelledby="sent">
      <h2 id="sent">Webhooks</h2>
      {entries === null ? (
        <Loading lines={2} what="webhooks" />
      ) : sent.length === 0 ? (
        <NoneSent />
      ) : (
        <SentList sent={sent} />
      )}
    </section>
  );
}

const NoneSent = () => {
  const { to } = useScreenContext();
  return (
    <p class="soft">
      Nothing was sent about this payment yet. Events go to your{' '}
      <a href={to(webhooksEntry.link)}>endpoints</a>.
    </p>
  );
};

function SentList({ sent }: { readonly sent: readonly SentEvent[] }) {
  const { api, place } = useScreenContext();
  const key = sent.map(({ endpointId, eventId }) => `${endpointId} ${eventId}`).join(' ');
  const asked = useAsked(
    `sent ${key}`,
    () =>
      sentDeliveriesOf(api, place, ({ id }) =>
        sent.filter(({ endpointId }) => endpointId === id).map(({ eventId }) => eventId),
      ),
    ['endpoint'],
  );
  if (asked.value === null) {
    if (asked.failure !== null) return <Failed failure={asked.failure} again={asked.again} />;
    return <Loading lines={sent.length} what="webhooks" />;
  }
  return <SentDeliveries sent={newestFirst(asked.value, sent)} />;
}

/** The newest event first, as the timeline has them the other way round. */
function newestFirst(
  deliveries: readonly SentDelivery[],
  sent: readonly SentEvent[],
): readonly SentDelivery[] {
  const place = new Map(sent.map(({ endpointId, eventId }, at) => [`${endpointId} ${eventId}`, at]));
  const placeOf = ({ listed }: SentDelivery): number =>
    place.get(`${listed.webhookEndpointId} ${listed.eventId}`) ?? 0;
  return deliveries.toSorted((a, b) => placeOf(b) - placeOf(a));
}
