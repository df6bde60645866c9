/** The two kinds of the simulated provider: what it knows of a payment, and the faults a project has set. */
import type { Kind } from '../kind.ts';
import { simulator } from './faults.ts';
import { simulatedPayment } from './simulated-payment.ts';

export const simulatedPaymentKind = { actor: simulatedPayment } as const satisfies Kind;
export const simulatorKind = { actor: simulator } as const satisfies Kind;
