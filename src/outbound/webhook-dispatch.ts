/** Called by the journal pump for each page of events: creates one delivery per endpoint that is subscribed
 *  to an event.
 *  1. An endpoint receives every event after its creation was answered: its endpoints are read as they are now
 *     (webhook-reads.ts). */
import { dispatch, type Entry } from '../../actors/webhook-endpoint/dispatch.ts';
import { webhookDeliveryAt } from '../../actors/webhook-delivery/messages.ts';
import type { Dispatch } from '../runtime/delivery/journal-pump.ts';
import type { Row } from '../store/store.ts';
import type { WebhookReads } from './webhook-reads.ts';

export const webhookDispatch =
  (reads: WebhookReads): Dispatch =>
  async (scope, entries) => {
    if (entries.length === 0) return [];
    const listeners = await reads.listeners(scope);
    const openings = entries.map((row) => dispatch(entryOf(row), listeners));
    reads.remember(entries.filter((_row, at) => (openings[at] ?? []).length > 0));
    return openings.map((ofEntry) =>
      ofEntry.map(({ deliveryId, open }) => ({
        // an endpoint gets the events of one object in their order
        inOrder: `${open.endpointId} ${open.objectId}`,
        to: webhookDeliveryAt(deliveryId),
        command: 'open',
        data: { ...open },
      })),
    );
  };

const entryOf = ({ id, body }: Row): Entry => ({ ...(body as unknown as Omit<Entry, 'key'>), key: id });
