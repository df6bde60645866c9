/** Which endpoints receive an event, and the deliveries that follow.
 *  Pure: the pump reads the journal and knows the endpoints, and sends the result. */
import type { JournalEntry } from '../../src/runtime/model/actor.ts';
import { deliveryIdOf, type DeliveryCommands } from '../webhook-delivery/messages.ts';
import type { EndpointState } from './messages.ts';

/** An endpoint of the event's scope as it is now. */
export interface Listener {
  readonly id: string;
  readonly state: Pick<EndpointState, 'status' | 'events' | 'term'>;
}

export interface Opening {
  readonly deliveryId: string;
  readonly open: DeliveryCommands['open'];
}

/** One delivery per enabled endpoint that is subscribed to this kind. An endpoint created a moment after
 *  the event receives it too: its `createdAt` and the event's `at` may come from the clocks of two nodes,
 *  and one event too many is better than one too few. */
export function dispatch(entry: Entry, listeners: readonly Listener[]): readonly Opening[] {
  const { key, eventId, event, objectId, pos, at } = entry;
  return listeners
    .filter(({ state }) => subscribesTo(state, event))
    .map(({ id, state: { term } }) => ({
      deliveryId: deliveryIdOf(id, eventId),
      open: {
        endpointId: id,
        eventId,
        eventType: event,
        journalId: key,
        objectId,
        pos,
        eventAt: at,
        ...(term === undefined ? {} : { term }),
      },
    }));
}

export type Entry = Omit<JournalEntry, 'envelope'> & { readonly eventId: string };

export const subscribesTo = ({ status, events }: Listener['state'], kind: string): boolean =>
  status === 'enabled' && includesKind(events, kind);

export const includesKind = (events: readonly string[], kind: string): boolean =>
  events.includes('*') || events.includes(kind);
