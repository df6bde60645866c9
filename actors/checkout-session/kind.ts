/** The kind of checkout sessions: what they keep beside their documents, and which events they emit. */
import type { Kind } from '../kind.ts';
import { samples } from './samples.ts';
import { checkoutSession } from './session.ts';

export const checkoutSessionKind = {
  actor: checkoutSession,
  rows: [
    { kind: 'payment', indexes: ['sessionId', 'status', 'provider', 'providerRef'] },
    // of a Direct-QR session nobody may see yet
    { kind: 'hidden_payment', indexes: [] },
  ],
  events: samples,
} as const satisfies Kind;
