/** Deliveries of one event or one payment, each with the endpoint it went to. */
import { useScreenContext } from '../context.ts';
import { newerDelivery } from '../lists/delivery-rows.ts';
import type { Api } from '../wire/api.ts';
import type { Result } from '../wire/failure.ts';
import type { Delivery, Endpoint, Place } from '../wire/types.ts';
import { DeliveryRow } from './delivery-row.tsx';

export interface SentDelivery {
  readonly listed: Delivery;
  readonly endpointUrl: string;
}

export function SentDeliveries({ sent }: { readonly sent: readonly SentDelivery[] }) {
  const { liveState } = useScreenContext();
  return (
    <ul class="sent">
      {sent.map(({ listed, endpointUrl }) => {
        const delivery = newerDelivery(listed, liveState.deliveries.get(listed.id), liveState.epoch);
        return <DeliveryRow key={delivery.id} delivery={delivery} endpointUrl={endpointUrl} />;
      })}
    </ul>
  );
}

/** `eventsOf`: the events that went to an endpoint, in their order. A deleted endpoint has no deliveries to show. */
export async function sentDeliveriesOf(
  api: Api,
  place: Place,
  eventsOf: (endpoint: Endpoint) => readonly string[],
): Promise<Result<readonly SentDelivery[]>> {
  const endpoints = await api.call('GET /v1/webhooks', place);
  if (!endpoints.ok) return endpoints;
  const wanted = endpoints.value.data.flatMap((endpoint) =>
    eventsOf(endpoint).map((eventId) => ({ endpoint, eventId })),
  );
  const results = await Promise.all(
    wanted.map(({ endpoint, eventId }) =>
      api.call('GET /v1/webhooks/{id}/deliveries', place, {
        id: endpoint.id,
        query: new URLSearchParams({ eventId, limit: '1' }),
      }),
    ),
  );
  const failed = results.find((result) => !result.ok && result.failure.status !== 404);
  if (failed !== undefined && !failed.ok) return failed;
  const sent = results.flatMap((result, at) => {
    const endpointUrl = wanted[at]?.endpoint.url ?? '';
    return result.ok ? result.value.data.map((listed) => ({ listed, endpointUrl })) : [];
  });
  return { ok: true, value: sent };
}
