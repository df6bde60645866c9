/** Laws about webhooks: which endpoint gets what, in which order, with which bytes. */
import type { Doc, Row } from '../../../src/store/store.ts';
import { deliveryIdOf, type DeliveryState } from '../../../actors/webhook-delivery/messages.ts';
import type { EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { subscribesTo } from '../../../actors/webhook-endpoint/dispatch.ts';
import type { MakeChecker } from './checker.ts';

const deliveryIn = (doc: Doc | null): DeliveryState | null =>
  doc?.kind === 'webhook_delivery' && doc.body !== null ? (doc.body as unknown as DeliveryState) : null;

const textIn = ({ body }: Row, field: string): string => (typeof body[field] === 'string' ? body[field] : '');

const wants = (endpoint: Doc | null, row: Row): boolean =>
  endpoint !== null &&
  !endpoint.gone &&
  endpoint.scope === row.scope &&
  subscribesTo(endpoint.body as unknown as EndpointState, textIn(row, 'event'));

export const deliveriesAreMadeInOrder: MakeChecker = ({ disk }) => ({
  rule: 'deliveries of one object are made one after the other, in the order of the log',
  landed(landed) {
    const made = landed.is === 'doc' && landed.before === null ? deliveryIn(landed.doc) : null;
    if (made === null) return null;
    for (const other of disk.docs('webhook_delivery')) {
      const { endpointId, objectId, pos } = other.body as unknown as DeliveryState;
      if (endpointId !== made.endpointId || objectId !== made.objectId || pos <= made.pos) continue;
      return `the delivery of place ${made.pos} of ${objectId} was made after that of place ${pos}`;
    }
    return null;
  },
});

export const deliveriesLeaveInOrder: MakeChecker = ({ disk }) => ({
  rule: 'a webhook leaves only when the one before it of its object has ended, or has kept it waiting 60 s',
  posted({ deliveryId, overtakes }) {
    const mine = deliveryIn(disk.doc('webhook_delivery', deliveryId));
    if (mine === null) return `${deliveryId} was posted and does not exist`;
    for (const doc of overtakes ? [] : disk.docs('webhook_delivery')) {
      const { endpointId, objectId, pos, status } = doc.body as unknown as DeliveryState;
      if (endpointId !== mine.endpointId || objectId !== mine.objectId || pos >= mine.pos) continue;
      const unended = status === 'pending' || status === 'retrying';
      if (unended) return `${deliveryId} was posted before ${doc.id}, which is ${status}`;
    }
    return null;
  },
});

export const bytesStayTheSame: MakeChecker = ({ disk, ledger }) => ({
  rule: 'every try of an event carries the bytes of the journal',
  posted({ endpointId, eventId, body }) {
    const mine = deliveryIn(disk.doc('webhook_delivery', deliveryIdOf(endpointId, eventId)));
    const row = disk.row('journal', mine?.journalId ?? '');
    if (row === null) return `${eventId} left and is not in the journal`;
    if (row.body['envelope'] !== body) return `${eventId} left with other bytes than the journal's`;
    const { bodies = [] } = ledger.receipts.get(`${endpointId} ${eventId}`) ?? {};
    return bodies.every((other) => other === body) ? null : `${eventId} arrived with different bytes`;
  },
});

export const dispatchMovesLast: MakeChecker = ({ disk, endpoints }) => {
  const known = new Map<string, ReadonlySet<string>>();
  return {
    rule: 'a log moves its cursor only past events whose deliveries are made',
    landed(landed) {
      if (landed.is === 'row') {
        if (landed.row.kind === 'journal') known.set(landed.row.id, new Set(endpoints));
        return null;
      }
      if (landed.is !== 'doc' || landed.doc.kind !== 'event_log') return null;
      const [from, to] = [landed.before, landed.doc].map((doc) => Number(doc?.body?.['dispatched'] ?? 0));
      for (const row of from === to ? [] : disk.rows('journal')) {
        const pos = Number(row.body['pos']);
        if (row.scope !== landed.doc.scope || pos <= (from ?? 0) || pos > (to ?? 0)) continue;
        for (const id of known.get(row.id) ?? []) {
          if (!wants(disk.doc('webhook_endpoint', id), row)) continue;
          const made = disk.doc('webhook_delivery', deliveryIdOf(id, textIn(row, 'eventId')));
          if (made === null) return `${row.scope} moved past ${pos}, ${id} has no delivery of it`;
        }
      }
      return null;
    },
  };
};

export const everyoneHears: MakeChecker = ({ disk, ledger, endpoints }) => {
  const known = new Map<string, ReadonlySet<string>>();
  return {
    rule: 'in the end each endpoint has taken each event it asked for',
    landed(landed) {
      if (landed.is === 'row' && landed.row.kind === 'journal') known.set(landed.row.id, new Set(endpoints));
      return null;
    },
    ended() {
      for (const row of disk.rows('journal')) {
        for (const id of known.get(row.id) ?? []) {
          if (!wants(disk.doc('webhook_endpoint', id), row)) continue;
          const eventId = textIn(row, 'eventId');
          const delivery = deliveryIn(disk.doc('webhook_delivery', deliveryIdOf(id, eventId)));
          if (delivery === null) return `${id} has no delivery of ${row.id}`;
          if (delivery.status !== 'success')
            return `the delivery of ${row.id} to ${id} is ${delivery.status}`;
          if (ledger.receipts.get(`${id} ${eventId}`)?.taken !== true) return `${id} never took ${row.id}`;
        }
      }
      return null;
    },
  };
};
