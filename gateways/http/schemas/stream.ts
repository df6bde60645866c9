/** Event streams: what one is asked for; their frames, each as an object of its fields. `data` is one line of JSON. */
import { Type, type TProperties, type TSchema } from 'typebox';
import { shown, type Shown } from '../route/description.ts';
import { sessionStatuses } from './checkout.ts';
import { event } from './event.ts';
import { currency, flag, object, oneOf, paisa, text, textOrNull, time } from './parts.ts';
import { provider } from './provider.ts';

/** One frame. `data` is the object in it. */
function frame(name: string, description: string, kind: TSchema, fields: TProperties, data: TSchema) {
  return object(name, description, { event: kind, ...fields, data });
}

const line = { description: 'One line of JSON.' };
const called = (name: string) => Type.Literal(name, { description: 'The name of the frame.' });
const retry = {
  retry: Type.Optional(Type.Integer({ description: 'When to connect again, in milliseconds.' })),
};
const ping = frame('PingFrame', 'Sent every 7 seconds.', called('ping'), {}, Type.Object({}, line));

const replay = Type.Optional(flag('true when it happened before you connected. Absent otherwise.'));
const qrId = { id: text('Its place in the stream; `-replay` at its end in an answer after the end.') };

const qrFrames = [
  frame(
    'QrConnectedFrame',
    'The first frame.',
    called('connected'),
    retry,
    Type.Object({ id: text('The session.'), status: oneOf(sessionStatuses, 'Its status now.') }, line),
  ),
  frame(
    'QrScannedFrame',
    'The buyer has scanned the code: at most once.',
    called('qr.scanned'),
    qrId,
    Type.Object({ sessionId: text('The session.'), scannedAt: time('When.'), replay }, line),
  ),
  frame(
    'QrPaidFrame',
    'The session is paid. The stream ends.',
    called('qr.paid'),
    qrId,
    Type.Object(
      {
        paymentId: text('The payment.'),
        sessionId: text('The session.'),
        amount: paisa('In paisa.'),
        currency,
        provider,
        traceId: textOrNull("The bank's trace number."),
        replay,
      },
      line,
    ),
  ),
  frame(
    'QrExpiredFrame',
    'The session has ended unpaid. The stream ends.',
    called('qr.expired'),
    qrId,
    Type.Object({ sessionId: text('The session.'), expiredAt: time('When.'), replay }, line),
  ),
  ping,
];

const eventFrames = [
  frame(
    'EventsConnectedFrame',
    'The first frame.',
    called('connected'),
    {},
    Type.Object({ projectId: text('The project.'), livemode: flag('Whether it is the live log.') }, line),
  ),
  frame(
    'EventFrame',
    'One event of the log.',
    text('The type of the event.'),
    { id: text('Id of the event: what `Last-Event-ID` names.') },
    event.schema,
  ),
  ping,
];

const streamOf = (description: string, frames: readonly TSchema[], example: string): Shown =>
  shown(
    Type.String({
      description,
      contentMediaType: 'text/event-stream',
      contentSchema: Type.Array(Type.Union([...frames])),
    }),
    example,
  );

export const qrStream = streamOf(
  'Server-sent events: `connected`, then `qr.scanned`, `qr.paid` or `qr.expired`, and ' +
    'a `ping` every 7 seconds. A stream that cannot be served now holds only `retry`.',
  qrFrames,
  [
    'retry: 3000\nevent: connected\ndata: {"id":"cs_xhb0f0273zxk2qcf7a6ekcts","status":"success"}\n\n',
    'id: 2-replay\nevent: qr.paid\ndata: ' +
      '{"paymentId":"pay_xhs0m2c9y4k8w1t5","sessionId":"cs_xhb0f0273zxk2qcf7a6ekcts",',
    '"amount":125050,"currency":"NPR","provider":"qr_a","traceId":"118707","replay":true}\n\n',
  ].join(''),
);

export const eventStream = streamOf(
  'Server-sent events: `connected`, then each event of the log in order, and a `ping` every 7 seconds.',
  eventFrames,
  [
    'event: connected\ndata: {"projectId":"prj_29b29j90mr3gsswkmzy950vk","livemode":false}\n\n',
    `id: ${event.example.id}\nevent: ${event.example.type}\ndata: ${JSON.stringify(event.example)}\n\n`,
  ].join(''),
);

/** Of GET /v1/events/stream. */
export const eventStreamQuery = Type.Object({
  lastEventId: Type.Optional(
    Type.String({ description: 'As the header `Last-Event-ID`, for clients that cannot send it.' }),
  ),
  since: Type.Optional(
    Type.String({ format: 'instant', description: 'Begins with the events of this instant.' }),
  ),
  types: Type.Optional(
    Type.String({ means: 'eventTypes', description: 'Only these event types, separated by commas.' }),
  ),
});
