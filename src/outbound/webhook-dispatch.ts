/** Called by the journal pump for each page of events: creates one delivery per endpoint that is subscribed
 *  to an event.
 *  1. The endpoints are read from the store each time, never cached: an endpoint receives every event after
 *     its creation was answered. */
import { dispatch, type Entry, type Listener } from '../../actors/webhook-endpoint/dispatch.ts';
import type { EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { webhookDeliveryAt } from '../../actors/webhook-delivery/messages.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Dispatch } from '../runtime/delivery/journal-pump.ts';
import type { DocReader } from '../runtime/model/upcast.ts';
import type { Row } from '../store/store.ts';

/** Well above the limit of ten per project and mode. */
const listenersMax = 100;

export const webhookDispatch =
  (docs: DocReader): Dispatch =>
  async (scope, entries) => {
    if (entries.length === 0) return [];
    const listeners = await listenersOf(docs, scope);
    return entries.map((row) =>
      dispatch(entryOf(row), listeners).map(({ deliveryId, open }) => ({
        // an endpoint gets the events of one object in their order
        inOrder: `${open.endpointId} ${open.objectId}`,
        to: webhookDeliveryAt(deliveryId),
        command: 'open',
        data: { ...open },
      })),
    );
  };

async function listenersOf(docs: DocReader, scope: Scope): Promise<readonly Listener[]> {
  const { items } = await docs.list({ kind: 'webhook_endpoint', scope, page: 1, limit: listenersMax });
  return items.map(({ id, body }) => ({ id, state: body as unknown as EndpointState }));
}

const entryOf = ({ id, body }: Row): Entry => ({ ...(body as unknown as Omit<Entry, 'key'>), key: id });
