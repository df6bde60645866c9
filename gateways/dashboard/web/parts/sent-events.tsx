/** The events of a payment sent to the shop's servers, and their results. */
import { useAsked } from '../asked.ts';
import { useScreenContext } from '../context.ts';
import { newerDelivery } from '../lists/delivery-rows.ts';
import { sentEvents, type SentEvent } from '../lists/timeline-runs.ts';
import { webhooksEntry } from '../screens/webhooks/route.ts';
import type { Api } from '../wire/api.ts';
import type { Result } from '../wire/failure.ts';
import type { Delivery, Place, TimelineEntry } from '../wire/types.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { Failed, Loading } from './notices.tsx';

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
  const { api, place, liveState } = useScreenContext();
  const key = sent.map(({ endpointId, eventId }) => `${endpointId} ${eventId}`).join(' ');
  const asked = useAsked(`sent ${key}`, () => deliveriesOf(api, place, sent));
  if (asked.value === null) {
    if (asked.failure !== null) return <Failed failure={asked.failure} again={asked.again} />;
    return <Loading lines={sent.length} what="webhooks" />;
  }
  return (
    <ul class="sent">
      {asked.value.map((listed) => {
        const delivery = newerDelivery(listed, liveState.deliveries.get(listed.id), liveState.epoch);
        return <DeliveryRow key={delivery.id} delivery={delivery} />;
      })}
    </ul>
  );
}

/** Newest first; a deleted endpoint has no deliveries to show. */
async function deliveriesOf(
  api: Api,
  place: Place,
  sent: readonly SentEvent[],
): Promise<Result<readonly Delivery[]>> {
  const results = await Promise.all(
    sent.map(({ endpointId, eventId }) =>
      api.deliveries(place, endpointId, new URLSearchParams({ eventId, limit: '1' })),
    ),
  );
  const failed = results.find((result) => !result.ok && result.failure.status !== 404);
  if (failed !== undefined && !failed.ok) return failed;
  return { ok: true, value: results.flatMap((result) => (result.ok ? result.value.data : [])).toReversed() };
}
