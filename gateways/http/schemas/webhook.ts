/** The Webhook endpoint object, and the deliveries to it. */
import { Type } from 'typebox';
import { shown } from '../route/description.ts';
import { event } from './event.ts';
import { endpoint, endpointExample, endpointFields } from './webhook-endpoint.ts';
import {
  integer,
  integerOrNull,
  object,
  oneOf,
  orNull,
  text,
  textOrNull,
  time,
  timeOrNull,
} from './parts.ts';

export const webhookEndpoint = shown(endpoint, endpointExample);

export const changedWebhookEndpoint = shown(endpoint, {
  ...endpointExample,
  events: ['payment.succeeded', 'payment.failed'],
  description: null,
  sequence: 2,
});

const { createdAt, updatedAt, ...earlier } = endpointFields;
const { createdAt: _created, updatedAt: _updated, ...withoutTimes } = endpointExample;
const { data: _data, ...envelope } = event.example;

/** Only the creation shows the secret. */
export const newWebhookEndpoint = shown(
  object('NewWebhookEndpoint', 'A webhook endpoint with its secret, which is shown this once.', {
    ...earlier,
    signing_secret: text('What its deliveries are signed with. Keep it: it is not shown again.'),
    createdAt,
    updatedAt,
  }),
  {
    ...withoutTimes,
    signing_secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    createdAt: endpointExample.createdAt,
    updatedAt: endpointExample.updatedAt,
  },
);

/** Only a rotation shows the new secret. */
export const rotatedWebhookEndpoint = shown(
  object('RotatedWebhookEndpoint', 'A webhook endpoint with its new secret, which is shown this once.', {
    ...earlier,
    signing_secret: text('What its deliveries are signed with from now on. Keep it: it is not shown again.'),
    previousSecretExpiresAt: time('Until when they are signed with the secret before it too.'),
    createdAt,
    updatedAt,
  }),
  {
    ...withoutTimes,
    sequence: 2,
    signing_secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    previousSecretExpiresAt: '2026-11-22T15:38:19.410Z',
    createdAt: endpointExample.createdAt,
    updatedAt: endpointExample.updatedAt,
  },
);

export const recovery = shown(
  object('Recovery', 'What a webhook endpoint is sent again.', {
    endpointId: text('The endpoint.'),
    since: time('Events since then were searched.'),
    queued: integer(
      'How many of them are queued by this request, oldest first. Exact up to 10,000; a larger number may ' +
        'miss what happened in the last seconds.',
    ),
  }),
  { endpointId: endpointExample.id, since: '2026-11-21T00:00:00.000Z', queued: 1 },
);

export const deletedWebhookEndpoint = shown(
  object('DeletedWebhookEndpoint', 'What is left of an endpoint.', {
    id: text('Its id.'),
    deleted: Type.Literal(true, { description: 'It is.' }),
  }),
  { id: endpointExample.id, deleted: true },
);

export const deliveryStatuses = ['pending', 'retrying', 'success', 'failed'] as const;

export const delivery = shown(
  object('Delivery', 'One event on its way to one endpoint.', {
    id: text('Id of the delivery, `whd_...`.'),
    webhookEndpointId: text('Where it goes.'),
    eventId: text('The event it carries.'),
    eventType: text('The type of the event.'),
    payload: orNull(event.schema, 'The event as it is sent. null once it is no longer kept.'),
    status: oneOf(
      deliveryStatuses,
      '`pending`: the first try is running, or waits. `retrying`: tries failed, another ' +
        'follows. `failed`: no more follow.',
    ),
    attempts: integer('Tries so far.'),
    lastAttemptAt: timeOrNull('When the last try began.'),
    nextAttemptAt: timeOrNull('When the next one begins. null when none follows.'),
    responseStatus: integerOrNull('The HTTP status the endpoint answered. null without an answer.'),
    responseBody: textOrNull('The first 2 KiB of its answer, or why there was none.'),
    durationMs: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'How long the last try took, in milliseconds.',
    }),
    createdAt: time('When it was created.'),
  }),
  {
    id: 'whd_84j1m2m0rgxh1s7d0ykqv3hc',
    webhookEndpointId: endpointExample.id,
    eventId: event.example.id,
    eventType: event.example.type,
    payload: event.example,
    status: 'success',
    attempts: 1,
    lastAttemptAt: '2026-11-21T15:38:25.102Z',
    nextAttemptAt: null,
    responseStatus: 200,
    responseBody: '',
    durationMs: 3,
    createdAt: '2026-11-21T15:38:19.995Z',
  },
);

/** While its try is running. */
export const sampleDelivery = shown(delivery.schema, {
  ...delivery.example,
  eventType: 'test.ping',
  payload: {
    ...envelope,
    type: 'test.ping',
    sequence: 1,
    test: true,
    data: { message: 'ping' },
  },
  status: 'pending',
  attempts: 0,
  lastAttemptAt: null,
  nextAttemptAt: '2026-11-21T15:38:19.995Z',
  responseStatus: null,
  responseBody: null,
  durationMs: null,
});
