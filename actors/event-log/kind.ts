/** The kind of event logs. */
import type { Kind } from '../kind.ts';
import { eventLog } from './event-log.ts';
import { eventTextsKeptMs } from './messages.ts';

export const eventLogKind = {
  actor: eventLog,
  rows: [
    {
      kind: 'journal',
      indexes: ['pos', 'eventId', 'event', 'objectId'],
      kept: { ms: eventTextsKeptMs },
    },
  ],
} as const satisfies Kind;
