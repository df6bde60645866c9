/** The event streams as operations of the OpenAPI document: their doors are no routes. */
import { errorsOfAll, errorsOfGate } from './errors.ts';
import type { Operation } from './operation.ts';
import { events } from '../routes/events.ts';
import { directQr } from '../routes/qr.ts';
import { eventStream, eventStreamQuery, qrStream } from '../schemas/stream.ts';

const lastEventId = (example: string) => ({
  name: 'Last-Event-ID',
  description: 'The id of the last event you received; browsers send it by themselves.',
  example,
});

const qrEvents: Operation = {
  method: 'GET',
  path: '/v1/qr/{id}/events',
  key: 'none',
  resource: directQr,
  operation: 'followDirectQr',
  summary: 'Follow a Direct-QR session',
  description:
    'For a browser (`EventSource`), from any origin: whoever knows the id of the session ' +
    'may follow it. After the end it is told once more, with `replay`; who has had that ' +
    'is answered 204, and a browser then stops.',
  object: 'Direct-QR session',
  headers: [lastEventId('1')],
  results: [
    {
      status: 200,
      description: 'The stream.',
      headers: ['X-Accel-Buffering'],
      content: { 'text/event-stream': qrStream },
    },
    {
      status: 204,
      description: 'The end has been received: nothing follows.',
      content: {},
    },
  ],
  errors: ['resource_not_found', 'internal_error'],
  keyed: false,
  checksInput: false,
  anyOrigin: true,
};

const allEvents: Operation = {
  method: 'GET',
  path: '/v1/events/stream',
  key: 'secret',
  resource: events,
  operation: 'followEvents',
  summary: 'Follow all events',
  description:
    'Webhooks without a public address. It goes on after `Last-Event-ID`, else after ' +
    '`lastEventId`, else from `since`, else with new events. At most 5 at once for each ' +
    'project and mode.',
  query: eventStreamQuery,
  headers: [lastEventId('evt_29spnm3sc7dwfb57gqqxcqe1')],
  results: [
    {
      status: 200,
      description: 'The stream.',
      headers: ['X-Accel-Buffering'],
      content: { 'text/event-stream': eventStream },
    },
  ],
  errors: [
    ...errorsOfGate({ key: 'secret', method: 'GET' }),
    'api_version_unknown',
    'validation_failed',
    'event_cursor_gone',
    ...errorsOfAll,
  ],
  keyed: false,
  checksInput: true,
  anyOrigin: false,
};

export const streamOperations: readonly Operation[] = [qrEvents, allEvents];
