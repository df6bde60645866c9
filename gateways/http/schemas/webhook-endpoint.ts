/** The fields of a Webhook endpoint: in its own answers, and in the event that it was disabled. */
import { Type } from 'typebox';
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { flag, object, oneOfOrNull, sequence, text, textOrNull, time, url } from './parts.ts';

export const endpointFields = {
  id: text('Id of the endpoint, `we_...`.'),
  livemode: flag('Whether it is told of real money: false in the sandbox.'),
  url: url('Where deliveries are sent.'),
  events: Type.Array(Type.String(), { description: 'The event types it receives; `["*"]`: all of them.' }),
  enabled: flag('Whether deliveries are sent.'),
  description: textOrNull('Your own note.'),
  disabledReason: oneOfOrNull(
    ['merchant', 'failing', 'gone'],
    'Why it is disabled. `failing`: every try failed for 120 hours. `gone`: it answered 410.',
  ),
  apiVersion: text('The version of the API its deliveries are written in.'),
  sequence,
  createdAt: time('When you created it.'),
  updatedAt: time('When it last changed.'),
};

export const endpoint = object(
  'WebhookEndpoint',
  'An address of yours that events are sent to.',
  endpointFields,
);

export const endpointExample = {
  id: 'we_84x7aeyxa4rybcn54d19vx2h',
  livemode: false,
  url: 'https://shop.example/hooks',
  events: ['payment.succeeded'],
  enabled: true,
  description: 'Orders',
  disabledReason: null,
  apiVersion,
  sequence: 1,
  createdAt: '2026-11-21T15:38:19.410Z',
  updatedAt: '2026-11-21T15:38:19.410Z',
};
