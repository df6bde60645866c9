/** A subscription and the sessions of its invoice, with what they tell one another on its way: each commit's messages arrive
 *  in order, those of different actors in any order. For the tests beside this file. */
import { assert } from '../../../src/kernel/assert.ts';
import type { Json } from '../../../src/runtime/model/actor.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import type { CheckoutSession, SessionState } from '../../../actors/checkout-session/state.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { opens, pay, pollsNow, says, scope } from '../checkout-session/buyer.ts';
import type { SubscriptionCommands } from '../../../actors/subscription/messages.ts';
import type { Invoice, PlanCopy } from '../../../actors/subscription/state.ts';
import { subscribed, threeSeven, type Years } from './subscribing.ts';

export const sessionIdOf = (n: number): string => `cs_k7yfcxpcd249hxjc6n80atb${n}`;

interface Told {
  readonly to: string;
  readonly command: string;
  readonly data: Json;
}

type Any = Story<CheckoutSession> | Years;

export class Till {
  readonly years: Years;
  readonly invoiceId: string;
  readonly sessions: Story<CheckoutSession>[] = [];
  /** Messages under way, by sender and receiver. */
  private readonly ways = new Map<string, Told[]>();
  private readonly seen = new Map<Any, number>();
  private payments = 0;

  constructor(plan: PlanCopy = threeSeven) {
    this.years = subscribed('2026-01-31 14:00', plan);
    this.invoiceId = this.years.invoice().id;
    this.collect(this.years);
  }

  get now(): number {
    return this.years.now;
  }

  /** The subscription is asked for a session; it opens when its command arrives. */
  asksForSession(): string | null {
    const sessionId = sessionIdOf(this.sessions.length + 1);
    const url = `https://pay.example/pay/${sessionId}`;
    this.ask('payInvoice', { invoiceId: this.invoiceId, sessionId, url });
    const { outcome } = this.years.last;
    if (outcome.is !== 'ok') return null;
    const answer = outcome.detail as { readonly sessionId: string };
    if (answer.sessionId === sessionId)
      this.sessions.push(given(checkoutSession, { id: sessionId, scope, now: this.now }));
    return answer.sessionId;
  }

  ask<K extends keyof SubscriptionCommands>(command: K, data: SubscriptionCommands[K]): void {
    this.years.ask(command, data);
    this.collect(this.years);
  }

  /** The buyer of a session goes to the provider. False: nothing can be started there. */
  starts(session: Story<CheckoutSession>): boolean {
    if (session.doc === null) return false;
    const paymentId = pay(++this.payments);
    session.now = this.now;
    session.when('start', { paymentId, provider: 'wallet_b', variant: null });
    if (session.last.effects.some(({ kind }) => kind === 'provider.start')) opens(session);
    this.collect(session);
    return session.last.outcome.is === 'ok';
  }

  /** The provider has the money of the latest attempt: a look-up finds it. False: it is not looked up any more. */
  pays(session: Story<CheckoutSession>): boolean {
    const payment = session.doc === null ? undefined : this.stateOf(session).payments.at(-1);
    if (payment === undefined || payment.claim !== undefined || payment.paidAt !== null) return false;
    const at = session.timer(`poll/${payment.id}`);
    if (at === null) return false;
    this.pass(Math.max(0, at - 1 - this.now));
    const n = Number(payment.id.slice(pay(0).length - 1));
    says(pollsNow(session, n), 'paid', { amountPaisa: session.state.order.amount }, n);
    this.collect(session);
    return true;
  }

  get invoice(): Invoice {
    const found = this.years.allInvoices.get(this.invoiceId);
    assert(found !== undefined, 'its invoice was there');
    return found;
  }

  /** The sessions that have been opened. */
  get open(): readonly SessionState[] {
    return this.sessions.filter(({ doc }) => doc !== null).map((session) => this.stateOf(session));
  }

  stateOf({ state }: Story<CheckoutSession>): SessionState {
    assert(state.status !== 'hidden', 'a session of an invoice is not hidden');
    return state;
  }

  /** Time passes for all; look-ups meanwhile say that nothing is paid. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (const session of this.sessions) {
      if (session.doc === null) continue;
      for (;;) {
        const due = Math.min(...session.doc.timers.map(({ at }) => at), Infinity);
        if (due > until) break;
        session.wait(Math.max(0, due - session.now));
        while (session.pending.some(({ kind }) => kind === 'provider.lookup')) says(session, 'pending');
      }
      session.now = Math.max(session.now, until);
      this.collect(session);
    }
    this.years.waitFor(ms);
    this.years.now = until;
    this.collect(this.years);
  }

  /** One message arrives: the oldest of the nth way that has any. False: nothing is under way. */
  delivers(n: number): boolean {
    const ways = [...this.ways.values()].filter((way) => way.length > 0);
    const told = ways[n % Math.max(1, ways.length)]?.shift();
    if (told === undefined) return false;
    const [kind, id] = told.to.split('/');
    const receiver: Any | undefined =
      kind === 'subscription' ? this.years : this.sessions.find((one) => one.given.id === id);
    if (receiver === undefined) return true;
    receiver.now = Math.max(receiver.now, this.now);
    if (receiver === this.years) this.years.ask(told.command as 'claim', told.data as never);
    else
      (receiver as Story<CheckoutSession>).when(told.command as 'claimed', told.data as never, {
        by: 'system',
      });
    this.collect(receiver);
    return true;
  }

  deliversAll(): void {
    while (this.delivers(0));
  }

  /** What has been told since the last time is under way. */
  private collect(from: Any): void {
    const fresh = from.tells.slice(this.seen.get(from) ?? 0);
    this.seen.set(from, from.tells.length);
    for (const { to, command, data } of fresh) {
      const key = `${from.given.id} ${to}`;
      this.ways.set(key, [...(this.ways.get(key) ?? []), { to, command, data }]);
    }
  }
}
