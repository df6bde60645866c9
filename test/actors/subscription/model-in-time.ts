/** What the naive model (model.ts) does by itself: its periods, its invoices, pauses and ends. */
import {
  day,
  hour,
  isMonths,
  lateAt,
  localDay,
  mostUnpaid,
  paysFor,
  starts,
  timeline,
  type Anchor,
  type ModelInvoice,
  type ModelOrder,
  type ModelPlan,
  type Stretch,
} from './model-dates.ts';

export class ModelInTime {
  readonly log: string[] = [];
  readonly invoices: ModelInvoice[] = [];
  status = 'active';
  now: number;
  plan: ModelPlan;
  next: { plan: ModelPlan; at: number } | null = null;
  bought: { plan: ModelPlan; at: number } | null = null;
  trialEnd: number | null;
  start: number;
  period: Stretch;
  total: number | null;
  flagged = false;
  cancelledAt: number | null = null;
  effectiveAt: number | null = null;
  cancelReason: string | null = null;
  pausedAt: number | null = null;
  pauseReason: string | null = null;
  resumeAt: number | null = null;
  endedAt: number | null = null;
  protected readonly created: number;
  protected anchor: Anchor;
  protected warned = false;
  protected over = false;
  protected numbers = 0;

  constructor(order: ModelOrder) {
    this.created = this.now = order.at;
    this.plan = order.plan;
    this.total = order.totalCycles;
    this.start = Math.max(order.startDate ?? order.at, order.at);
    this.trialEnd = order.trialEndsAt ?? (order.trialDays > 0 ? this.start + order.trialDays * day : null);
    const begins = this.trialEnd ?? this.start;
    this.anchor = { at: begins, day: localDay(begins) };
    this.period =
      this.trialEnd === null
        ? { n: 0, from: this.start, to: starts(this.anchor, this.plan.interval, 1) }
        : { n: -1, from: this.start, to: this.trialEnd };
    this.tell('subscription.created');
    if (this.start > this.now) this.status = 'draft';
    else if (this.trialEnd !== null) this.status = 'trialing';
    else this.tell('subscription.activated');
  }

  protected tell(what: string): void {
    this.log.push(`${new Date(this.now).toISOString()} ${what}`);
  }

  protected tellOf(what: string, { number }: ModelInvoice): void {
    this.tell(`invoice.${what} ${number ?? '-'}`);
  }

  // ---- what is true of it

  get ended(): boolean {
    return this.status === 'cancelled' || this.status === 'completed';
  }

  get unsettled(): readonly ModelInvoice[] {
    return this.invoices.filter(({ status }) => status !== 'paid' && status !== 'voided');
  }

  protected get unpaid(): readonly ModelInvoice[] {
    return this.unsettled.filter(({ status }) => status !== 'draft');
  }

  get cycles(): number {
    return this.invoices.filter((one) => !one.replaced && (one.number !== null || one.voidedByMerchant))
      .length;
  }

  protected get cyclesLeft(): boolean {
    const drafts = this.invoices.filter(({ status }) => status === 'draft').length;
    return this.total === null || this.cycles + drafts < this.total;
  }

  /** The invoice that bills a period; one that the merchant voided is one, too. */
  protected billing(from: number): ModelInvoice | undefined {
    return this.invoices.find((one) => paysFor(one).from === from && !one.replaced);
  }

  protected valid(from: number): ModelInvoice | undefined {
    const one = this.billing(from);
    return one?.status === 'voided' ? undefined : one;
  }

  /** The period that begins at an instant, and what it is billed at. */
  protected beginning(
    from: number,
    anchor: Anchor,
    n: number,
  ): { plan: ModelPlan; anchor: Anchor; period: Stretch } {
    const due = [this.next, this.bought].find((each) => each !== null && each.at <= from) ?? null;
    if (due === null)
      return { plan: this.plan, anchor, period: { n, from, to: starts(anchor, this.plan.interval, n + 1) } };
    const { plan } = due;
    const kept = { at: from, day: isMonths(plan) && isMonths(this.plan) ? anchor.day : localDay(from) };
    return { plan, anchor: kept, period: { n: 0, from, to: starts(kept, plan.interval, 1) } };
  }

  protected following() {
    return this.beginning(this.period.to, this.anchor, this.period.n + 1);
  }

  /** The current one; before its start a plan that is scheduled for the start applies. */
  protected current() {
    if (this.status === 'draft' && this.period.n === 0)
      return this.beginning(this.period.from, this.anchor, 0);
    return { plan: this.plan, anchor: this.anchor, period: this.period };
  }

  /** The period that is billed next; null: none is. */
  protected toBill() {
    if (this.ended || this.status === 'paused' || this.over || !this.cyclesLeft) return null;
    if (this.period.n >= 0 && this.billing(this.period.from) === undefined) return this.current();
    if (this.flagged || this.billing(this.period.to) !== undefined) return null;
    // before the start the next period is the first
    return this.period.n >= 0 && this.status === 'draft' ? null : this.following();
  }

  /** When the invoice of a period opens. */
  protected opening(due: number, plan: ModelPlan): { at: number; earliest: number } {
    const isFirst = this.cycles === 0 && this.period.n <= 0;
    const earliest = isFirst || due <= this.period.from ? this.created : this.period.from;
    return { earliest, at: Math.max(earliest, due - plan.terms.reminderDaysBeforeDue * day) };
  }

  /** The next opening, with the draft that waits for it. */
  protected nextOpening(): { at: number; draftAt: number | null; draft: ModelInvoice | null } | null {
    if (this.ended || this.status === 'paused') return null;
    const draft = this.invoices.find(({ status }) => status === 'draft') ?? null;
    const target = this.toBill();
    if (draft !== null && (target === null || draft.from <= target.period.from))
      return { ...this.opening(draft.due, draft.plan), draftAt: null, draft };
    if (target === null) return null;
    const { at, earliest } = this.opening(target.period.from, target.plan);
    return { at, draftAt: at === earliest ? null : Math.max(earliest, at - hour), draft: null };
  }

  // ---- time

  protected pass(until: number): void {
    for (;;) {
      const moments = this.moments().sort((a, b) => a.at - b.at || a.rank - b.rank);
      const [first] = moments;
      if (first === undefined || first.at > until) break;
      this.now = Math.max(this.now, first.at);
      first.happens();
    }
    this.now = until;
  }

  protected moments(): { at: number; rank: number; happens: () => void }[] {
    const all: { at: number; rank: number; happens: () => void }[] = [];
    const add = (at: number, rank: number, happens: () => void): void => void all.push({ at, rank, happens });
    const isAhead = this.status === 'draft' || this.status === 'trialing';
    if (this.status === 'draft') add(this.start, 0, () => this.startReached());
    if (isAhead && this.trialEnd !== null && !this.warned) add(this.trialEnd - 3 * day, 1, () => this.warn());
    if (['trialing', 'active', 'past_due'].includes(this.status) && !this.over)
      add(this.period.to, 2, () => this.periodOver());
    for (const invoice of this.unpaid) {
      const { due, plan, steps } = invoice;
      const [opened, isLate] = [invoice.opened ?? 0, invoice.status === 'past_due'];
      // whoever has ended is reminded no more
      const afterEnd = isLate ? undefined : ([lateAt(due, opened, plan), null] as const);
      const step = this.ended ? afterEnd : timeline(due, opened, plan)[steps];
      if (step !== undefined) add(step[0], 3, () => this.dun(invoice, step[1]));
    }
    const opening = this.nextOpening();
    if (opening !== null && opening.draft === null && opening.draftAt !== null)
      add(opening.draftAt, 4, () => void this.draft());
    if (opening !== null) add(opening.at, 5, () => this.open());
    if (this.status === 'paused' && this.resumeAt !== null) add(this.resumeAt, 6, () => this.resume());
    return all;
  }

  protected warn(): void {
    this.warned = true;
    this.tell('subscription.trial_will_end');
  }

  protected startReached(): void {
    if (this.trialEnd !== null) {
      this.status = 'trialing';
      return;
    }
    this.enter(this.current());
    this.activate();
  }

  protected activate(): void {
    this.status = 'active';
    this.tell('subscription.activated');
  }

  protected enter({ plan, anchor, period }: ReturnType<ModelInTime['following']>): void {
    const changed = plan.id !== this.plan.id;
    Object.assign(this, { plan, anchor, period });
    if (!changed) return;
    this[this.bought === null ? 'next' : 'bought'] = null;
    this.tell('subscription.plan_changed');
  }

  protected periodOver(): void {
    if (this.flagged && (this.effectiveAt ?? 0) <= this.period.to) return this.end('cancelled');
    if (this.status === 'trialing') {
      this.tell('subscription.trial_ended');
      this.enter(this.following());
      return this.activate();
    }
    const isLast = this.total !== null && !this.cyclesLeft && this.billing(this.period.to) === undefined;
    if (isLast) return this.lastCycleOver();
    this.tell('subscription.renewed');
    this.enter(this.following());
  }

  protected lastCycleOver(): void {
    this.over = true;
    this.completeIfSettled();
  }

  protected completeIfSettled(): void {
    if (this.over && !this.ended && this.status !== 'paused' && this.unsettled.length === 0)
      this.end('completed');
  }

  protected end(how: 'cancelled' | 'completed'): void {
    this.status = how;
    this.endedAt = this.now;
    this.tell(`subscription.${how}`);
  }

  protected dun(invoice: ModelInvoice, attempt: number | null): void {
    invoice.steps++;
    if (attempt !== null) {
      invoice.reminders++;
      return this.tell(`invoice.reminder_sent ${invoice.number ?? '-'} ${attempt}`);
    }
    invoice.status = 'past_due';
    this.tellOf('past_due', invoice);
    if (this.ended) return;
    const { overdueAction } = invoice.plan.terms;
    if (overdueAction === 'mark_past_due' && this.status === 'active') {
      this.status = 'past_due';
      this.tell('subscription.past_due');
    }
    if (overdueAction === 'pause' && this.status !== 'paused') this.pause('invoice_overdue', null);
    if (overdueAction === 'cancel') this.cancel('invoice_overdue', (one) => one.status !== 'past_due');
  }

  // ---- invoices

  protected draft(): ModelInvoice | null {
    const target = this.toBill();
    if (target === null) return null;
    const { from, to } = target.period;
    const [opened, paid, number] = [null, null, null];
    const plain = { replaced: false, voidedByMerchant: false, steps: 0, reminders: 0 };
    const invoice = {
      ...plain,
      status: 'draft' as const,
      number,
      plan: target.plan,
      due: from,
      from,
      to,
      applies: null,
      opened,
      paid,
    };
    this.invoices.push(invoice);
    return invoice;
  }

  protected open(): void {
    if (this.unpaid.length >= mostUnpaid) return this.pause('too_many_unpaid_invoices', null);
    const invoice = this.nextOpening()?.draft ?? this.draft();
    if (invoice === null) return;
    Object.assign(invoice, { status: 'open', number: ++this.numbers, opened: this.now });
    this.tellOf('created', invoice);
  }

  protected void(invoice: ModelInvoice, replaced: boolean): void {
    if (invoice.status === 'paid' || invoice.status === 'voided') return;
    invoice.status = 'voided';
    invoice.replaced = replaced;
    this.tellOf('voided', invoice);
  }

  /** A paid one stays as it is, and pays for another period. */
  protected move(paid: ModelInvoice, { from, to }: Pick<Stretch, 'from' | 'to'>): void {
    const was = paysFor(paid);
    paid.applies = from === paid.from && to === paid.to ? null : { from, to };
    if (was.from !== from || was.to !== to) this.tellOf('updated', paid);
  }

  /** Whether the invoice of the next period is open is what matters to a change of plan. */
  protected reprice(): void {
    const target = this.status === 'draft' && this.period.n === 0 ? this.current() : this.following();
    const invoice = this.unsettled.find(({ from }) => from === target.period.from);
    if (invoice === undefined) return;
    if (invoice.status === 'draft')
      return void Object.assign(invoice, {
        plan: target.plan,
        from: target.period.from,
        to: target.period.to,
      });
    this.void(invoice, true);
    if (this.status !== 'paused') this.open();
  }

  protected settled(invoice: ModelInvoice, was: string): void {
    this.completeIfSettled();
    const last = was === 'past_due' && !this.invoices.some(({ status }) => status === 'past_due');
    if (last && this.status === 'past_due') this.activate();
    if (this.status !== 'paused') return;
    if (last && this.pauseReason === 'invoice_overdue') this.resume();
    else if (this.pauseReason === 'too_many_unpaid_invoices' && this.unpaid.length < mostUnpaid)
      this.resume();
  }

  // ---- pauses and ends

  protected pause(reason: string | null, resumeAt: number | null): void {
    this.status = 'paused';
    this.pausedAt = this.now;
    this.pauseReason = reason;
    this.resumeAt = resumeAt;
    this.tell('subscription.paused');
  }

  protected resume(): void {
    this.status = 'active';
    this.pausedAt = this.pauseReason = this.resumeAt = null;
    this.tell('subscription.resumed');
    if (this.now >= this.period.to) return this.beginAnew();
    const voided = this.billing(this.period.from);
    if (voided?.status === 'voided') voided.replaced = true;
    this.openIfDue();
  }

  protected openIfDue(): void {
    const opening = this.nextOpening();
    if (opening !== null && opening.at <= this.now) this.open();
  }

  /** A new period from now on; an invoice that was paid for the one that never came pays for it. */
  protected beginAnew(): void {
    const next = this.valid(this.period.to);
    const paid = next?.status === 'paid' ? next : undefined;
    if (next !== undefined && paid === undefined) this.void(next, true);
    for (const one of this.invoices) if (one.status === 'draft') this.void(one, true);
    if (paid === undefined && this.total !== null && this.cycles >= this.total) return this.lastCycleOver();
    const waiting =
      paid !== undefined && this.next !== null && this.next.at > paysFor(paid).from ? this.next : null;
    if (waiting !== null) this.next = null;
    this.enter(this.beginning(this.now, { at: this.now, day: localDay(this.now) }, 0));
    this.over = false;
    if (waiting !== null) this.next = { plan: waiting.plan, at: this.period.to };
    if (this.flagged) this.effectiveAt = this.period.to;
    if (paid !== undefined) this.move(paid, this.period);
    this.openIfDue();
  }

  protected cancel(reason: string | null, which: (invoice: ModelInvoice) => boolean): void {
    this.flagged = false;
    this.cancelledAt = this.effectiveAt = this.now;
    this.cancelReason = reason;
    this.end('cancelled');
    for (const invoice of this.unsettled) if (which(invoice)) this.void(invoice, false);
  }
}
