/** The other side of every effect: a provider's books, bells that count their rings, the shops' webhook servers.
 *  It lives outside the process under test, so no crash of ours changes what it holds.
 *  1. An attempt is charged at most once, by its buyer alone.
 *  2. What a request changed stays changed, whether or not its answer arrives. */
import { assert } from '../../src/kernel/assert.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** One attempt as the provider knows it. */
export interface Attempt {
  readonly paymentId: string;
  readonly sessionId: string;
  readonly amount: Paisa;
  /** What look-ups ask with. */
  readonly handle: string;
  status: 'open' | 'paid' | 'cancelled' | 'declined';
  paidAt: Instant | null;
  /** Times the start call arrived. */
  starts: number;
}

/** One event as a shop received it, over all tries. */
export interface Receipt {
  readonly endpointId: string;
  readonly eventId: string;
  readonly bodies: string[];
  /** The shop answered 2xx at least once. */
  taken: boolean;
}

/** One refund as the provider received it. */
export interface MoneyBack {
  readonly refundId: string;
  readonly paymentId: string;
  readonly amount: Paisa;
  /** Times the call arrived; each is a refund of its own to the provider. */
  calls: number;
  /** How much was sent back for it. */
  returned: Paisa;
}

export class Ledger {
  readonly refunds = new Map<string, MoneyBack>();
  readonly attempts = new Map<string, Attempt>();
  readonly rings = new Map<string, { once: number; again: number; look: number }>();
  readonly receipts = new Map<string, Receipt>();

  /** A start call: the same attempt again for a payment already known. */
  start(paymentId: string, sessionId: string, amount: Paisa): Attempt {
    const known = this.attempts.get(paymentId);
    const attempt: Attempt = known ?? {
      paymentId,
      sessionId,
      amount,
      handle: `px-${paymentId}`,
      status: 'open',
      paidAt: null,
      starts: 0,
    };
    attempt.starts += 1;
    this.attempts.set(paymentId, attempt);
    return attempt;
  }

  /** The buyer decides at the provider's page; an attempt that has an end keeps it. */
  decide(paymentId: string, status: 'paid' | 'cancelled' | 'declined', now: Instant): boolean {
    const attempt = this.attempts.get(paymentId);
    if (attempt?.status !== 'open') return false;
    attempt.status = status;
    attempt.paidAt = status === 'paid' ? now : null;
    return true;
  }

  paidOf(sessionId: string): readonly Attempt[] {
    return [...this.attempts.values()].filter(
      (attempt) => attempt.sessionId === sessionId && attempt.status === 'paid',
    );
  }

  /** A refund call: done while money is left, else refused. */
  refund(refundId: string, paymentId: string, amount: Paisa): 'done' | 'refused' {
    const refund = this.refunds.get(refundId) ?? { refundId, paymentId, amount, calls: 0, returned: 0 };
    this.refunds.set(refundId, refund);
    refund.calls += 1;
    const attempt = this.attempts.get(paymentId);
    if (attempt?.status !== 'paid' || this.returnedOf(paymentId) + amount > attempt.amount) return 'refused';
    refund.returned += amount;
    return 'done';
  }

  returnedOf(paymentId: string): Paisa {
    let sum = 0;
    for (const refund of this.refunds.values()) if (refund.paymentId === paymentId) sum += refund.returned;
    return sum;
  }

  ring(op: string, mode: 'once' | 'again' | 'look'): number {
    const rings = this.rings.get(op) ?? { once: 0, again: 0, look: 0 };
    rings[mode] += 1;
    this.rings.set(op, rings);
    return rings[mode];
  }

  /** A webhook arrives at a shop. */
  receive(endpointId: string, eventId: string, body: string, taken: boolean): Receipt {
    const name = `${endpointId} ${eventId}`;
    const receipt = this.receipts.get(name) ?? { endpointId, eventId, bodies: [], taken: false };
    this.receipts.set(name, receipt);
    receipt.bodies.push(body);
    receipt.taken ||= taken;
    assert(receipt.bodies.length < 1000, 'a shop is not called for ever');
    return receipt;
  }
}
