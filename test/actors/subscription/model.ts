/** A subscription told from its inputs alone: every question plays the whole history again, from the order to the last
 *  call. Written from docs/reference/subscription-states.md as plainly as it can be, to be compared with the actor.
 *  1. Nothing of the actor is used: its own calendar, its own dunning, no memory of what is billed but the invoices. */
import {
  day,
  localDay,
  paysFor,
  starts,
  type MadeCall,
  type ModelCall,
  type ModelInvoice,
  type ModelOrder,
  type ModelPlan,
} from './model-dates.ts';
import { ModelInTime } from './model-in-time.ts';

const stepsMax = 1000;

export class Model extends ModelInTime {
  /** After each call. */
  readonly nexts: (number | null)[] = [];

  constructor(order: ModelOrder, calls: readonly MadeCall[], until: number) {
    super(order);
    for (const { at, call } of calls) {
      this.pass(at);
      this.do(call);
      this.pass(at);
      this.nexts.push(this.nextInvoiceAt);
    }
    this.pass(until);
  }

  /** What comes if all that is open is paid and nothing else is asked: the future is played until an invoice opens. */
  get nextInvoiceAt(): number | null {
    if (this.ended || this.flagged || this.status === 'paused') return null;
    const now = structuredClone(Object.fromEntries(Object.entries(this)));
    const future = Object.assign(Object.create(Model.prototype) as Model, now);
    for (const one of future.unpaid) one.status = 'paid';
    for (let step = 0; step < stepsMax; step++) {
      const [first] = future.moments().sort((a, b) => a.at - b.at || a.rank - b.rank);
      if (first === undefined) return null;
      future.now = Math.max(future.now, first.at);
      first.happens();
      if (future.numbers > this.numbers) return future.now;
    }
    throw new Error('no end of steps');
  }

  /** The trial ends at another instant, which may be now. */
  private moveTrial(to: number): void {
    const first = this.valid(this.period.to);
    const paid = first?.status === 'paid' ? first : undefined;
    this.trialEnd = this.period.to = to;
    this.anchor = { at: to, day: localDay(to) };
    const ofNext = this.next !== null && (paid === undefined || this.next.at <= paysFor(paid).from);
    const paidTo = starts(this.anchor, (this.bought ?? (ofNext ? this.next : null) ?? this).plan.interval, 1);
    if (this.next !== null) this.next = { plan: this.next.plan, at: ofNext ? to : paidTo };
    if (this.bought !== null) this.bought = { plan: this.bought.plan, at: to };
    if (this.flagged) this.effectiveAt = paid === undefined ? to : paidTo;
  }

  /** The first invoice is for these dates now. */
  private moveFirst(first: ModelInvoice | undefined): void {
    const { period, plan } = this.period.n < 0 ? this.following() : this.current();
    const dates = { from: period.from, to: period.to };
    if (first?.status === 'paid') this.move(first, dates);
    else if (first?.status === 'draft') Object.assign(first, { ...dates, plan, due: period.from });
    else if (first !== undefined) this.void(first, true);
    for (const one of this.invoices) if (one.status === 'voided') one.replaced = true;
    this.openIfDue();
  }

  // ---- calls; what is refused changes nothing

  private do(call: ModelCall): void {
    const { status } = this;
    switch (call.is) {
      case 'pause':
        if (status === 'active' || status === 'past_due') this.pause('asked', call.resumeAt);
        return;
      case 'resume':
        if (status === 'paused') this.resume();
        else if (this.flagged && !this.ended) this.unflag();
        return;
      case 'cancel': {
        if (this.ended) return;
        const runs = status !== 'draft' && status !== 'paused' && !this.over;
        if (call.atPeriodEnd && runs) this.flag(call.reason);
        else this.cancel(call.reason, () => true);
        return;
      }
      case 'change plan':
        return this.changePlan(call.plan);
      case 'end trial':
        if (status === 'trialing') this.endTrial();
        return;
      case 'extend trial':
        if (status === 'trialing') this.extendTrial(call.to);
        return;
      case 'set cycles':
        return this.setCycles(call.to);
      default: {
        const invoice = this.unsettled[call.pick % Math.max(this.unsettled.length, 1)];
        if (invoice !== undefined) this.settle(invoice, call.is);
      }
    }
  }

  private flag(reason: string): void {
    if (this.flagged) {
      if (reason !== this.cancelReason) this.tell('subscription.updated');
      this.cancelReason = reason;
      return;
    }
    const next = this.valid(this.period.to);
    this.flagged = true;
    this.cancelledAt = this.now;
    this.cancelReason = reason;
    this.effectiveAt = next?.status === 'paid' ? paysFor(next).to : this.period.to;
    this.tell('subscription.updated');
    if (next !== undefined) this.void(next, true);
  }

  private unflag(): void {
    this.flagged = false;
    this.cancelledAt = this.effectiveAt = this.cancelReason = null;
    this.tell('subscription.updated');
    this.openIfDue();
  }

  private settle(invoice: ModelInvoice, how: 'void' | 'pay' | 'mark paid'): void {
    const was = invoice.status;
    if (how === 'void') {
      invoice.voidedByMerchant = true;
      this.void(invoice, false);
    } else {
      if (was === 'draft') return;
      Object.assign(invoice, { status: 'paid', paid: this.now });
      this.tellOf('paid', invoice);
    }
    this.settled(invoice, was);
  }

  private changePlan(plan: ModelPlan): void {
    if (this.ended || this.flagged) return;
    const from = this.status === 'draft' && this.period.n === 0 ? this.period.from : this.period.to;
    const invoice = this.valid(from);
    const paid = invoice?.status === 'paid' ? invoice : null;
    // what was scheduled for a period that is paid now comes whatever is scheduled after it
    if (paid !== null && this.next !== null && this.next.at <= paysFor(paid).from) {
      this.bought = this.next;
      this.next = null;
    }
    const before = this.bought?.plan ?? this.plan;
    const asBefore = plan.id === before.id ? null : { plan, at: paid === null ? from : paysFor(paid).to };
    const isSame = asBefore?.plan.id === this.next?.plan.id;
    if (!isSame) this.next = asBefore;
    if (this.next === null && this.bought !== null) {
      this.next = this.bought;
      this.bought = null;
    }
    if (isSame) return;
    this.tell('subscription.updated');
    this.reprice();
    this.openIfDue();
  }

  private endTrial(): void {
    const first = this.valid(this.period.to);
    this.moveTrial(this.now);
    if (this.flagged && first?.status !== 'paid') return this.end('cancelled');
    this.tell('subscription.trial_ended');
    this.enter(this.following());
    this.activate();
    this.moveFirst(first);
  }

  private extendTrial(to: number): void {
    if (to <= (this.trialEnd ?? 0) || to > this.now + 365 * day) return;
    const first = this.valid(this.period.to);
    this.moveTrial(to);
    this.warned = to - 3 * day <= this.now;
    this.tell('subscription.updated');
    this.moveFirst(first);
  }

  private setCycles(to: number | null): void {
    if (to === this.total || (to !== null && to < this.cycles)) return;
    this.total = to;
    this.tell('subscription.updated');
    if (this.ended) return;
    const left = to === null || this.cycles < to;
    const draft = this.invoices.find(({ status }) => status === 'draft');
    if (!left && draft !== undefined) this.void(draft, true);
    if (left && this.over && this.status !== 'paused') {
      this.tell('subscription.renewed');
      this.beginAnew();
    }
    this.openIfDue();
  }
}
