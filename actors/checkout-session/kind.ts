/** The checkout session kind: its row collections and the events it emits. */
import type { Kind } from '../kind.ts';
import { samples } from './samples.ts';
import { checkoutSession } from './session.ts';

export const checkoutSessionKind = {
  actor: checkoutSession,
  rows: [
    { kind: 'payment', indexes: ['sessionId', 'status', 'provider', 'providerRef'] },
    // payments of a Direct-QR session that is still hidden
    { kind: 'hidden_payment', indexes: [] },
  ],
  events: samples,
} as const satisfies Kind;
