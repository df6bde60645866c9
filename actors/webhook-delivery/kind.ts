/** The kind of webhook deliveries. */
import { bareSample, type Kind } from '../kind.ts';
import { eventsKeptMs } from '../event-log/messages.ts';
import { webhookDelivery } from './webhook-delivery.ts';

export const webhookDeliveryKind = {
  actor: webhookDelivery,
  keptMs: eventsKeptMs,
  events: { 'test.ping': () => bareSample({ message: 'ping' }) },
} as const satisfies Kind;
