/** The kind of webhook deliveries. */
import { bareSample, type Kind } from '../kind.ts';
import { webhookDelivery } from './webhook-delivery.ts';

export const webhookDeliveryKind = {
  actor: webhookDelivery,
  events: { 'test.ping': () => bareSample({ message: 'ping' }) },
} as const satisfies Kind;
