/** The kind of event logs. */
import type { Kind } from '../kind.ts';
import { eventLog } from './event-log.ts';

export const eventLogKind = {
  actor: eventLog,
  rows: [{ kind: 'journal', indexes: ['pos', 'eventId', 'event', 'objectId'] }],
} as const satisfies Kind;
