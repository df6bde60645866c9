/** The bus of several nodes in one process, for tests and benchmarks; a single-node service has
 *  bus-lone.ts.
 *  1. Everything crosses as JSON text, like over a network.
 *  2. Nothing here is durable, so `post` always returns false, and `publish` has no receiver. */
import { Listeners } from '../../../src/kernel/listeners.ts';
import { realScheduler, type Cancel, type DurationMs, type Scheduler } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { AskResult, Envelope } from '../../../src/runtime/model/envelope.ts';
import type { Answering, Bus, Carried, CopyAnswer, OnNotice } from '../../../src/bus/bus.ts';
import {
  envelopeFrom,
  envelopeText,
  noticeFrom,
  noticeText,
  resultFrom,
  resultText,
} from '../../../src/bus/codec.ts';
import { assertNamed, assertPartition, broadcastSubject, canBeReached } from '../../../src/bus/subjects.ts';

export interface LocalBus {
  /** A separate connection, as another node would have; `name` is for people. */
  connect(name: string): Bus;
}

export interface LocalBusOptions {
  readonly scheduler?: Scheduler;
  /** The number of partitions; default 256. */
  readonly partitions?: number;
}

/** Opens a hub. */
export function createLocalBus({
  scheduler = realScheduler,
  partitions = 256,
}: LocalBusOptions = {}): LocalBus {
  const members = new Set<Member>();
  return {
    connect(name) {
      const member = new Member(name, members, scheduler, partitions);
      members.add(member);
      return member;
    },
  };
}

class Member implements Bus {
  readonly name: string;
  private readonly members: Set<Member>;
  private readonly scheduler: Scheduler;
  private readonly partitions: number;
  private readonly serving = new Map<number, Answering>();
  /** The listeners of an id, of a scope, and of a subject of hints. */
  private readonly ofId = new Listeners<string, Carried | null>();
  private readonly ofScope = new Listeners<Scope, string>();
  private readonly ofBroadcasts = new Listeners<string, string>();

  constructor(name: string, members: Set<Member>, scheduler: Scheduler, partitions: number) {
    this.name = name;
    this.members = members;
    this.scheduler = scheduler;
    this.partitions = partitions;
  }

  get connected(): boolean {
    return this.members.has(this);
  }

  ask(partition: number, envelope: Envelope, waitMs: DurationMs = Infinity): Promise<CopyAnswer> {
    assertPartition(partition, this.partitions);
    if (!canBeReached(envelope.to)) return Promise.resolve({ is: 'answered', result: { is: 'internal' } });
    const left = envelope.deadline - this.scheduler.now();
    const text = envelopeText(envelope);
    const owner = [...this.others()].find((one) => one.serving.has(partition));
    if (owner === undefined || left <= 0) return Promise.resolve({ is: 'nobody' });
    return new Promise((resolve) => {
      const cancel = this.scheduler.after(Math.min(left, waitMs), () => resolve({ is: 'silent' }));
      void owner.answer(partition, text).then((answer) => {
        if (answer.is === 'silent') return; // as on a wire: only time tells
        cancel();
        resolve(answer);
      });
    });
  }

  serve(partition: number, answer: Answering): Promise<() => Promise<void>> {
    assertPartition(partition, this.partitions);
    this.serving.set(partition, answer);
    return Promise.resolve(() => {
      if (this.serving.get(partition) === answer) this.serving.delete(partition);
      return Promise.resolve();
    });
  }

  notice(id: string, scope: Scope, carried?: Carried): void {
    assertNamed(id, scope);
    const text = carried === undefined ? '' : noticeText(carried);
    for (const { ofId, ofScope } of this.others())
      if (ofId.has(id) || ofScope.has(scope))
        queueMicrotask(() => {
          ofId.notify(id, noticeFrom(text));
          ofScope.notify(scope, id);
        });
  }

  watch(id: string, onNotice: OnNotice): Cancel {
    assertNamed(id);
    return this.ofId.add(id, (carried) => onNotice(id, carried));
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    assertNamed(scope);
    return this.ofScope.add(scope, onNotice);
  }

  broadcast(topic: string, text: string): void {
    const subject = broadcastSubject(topic);
    for (const { ofBroadcasts } of this.others())
      if (ofBroadcasts.has(subject)) queueMicrotask(() => ofBroadcasts.notify(subject, text));
  }

  onBroadcast(topic: string, listener: (text: string) => void): Cancel {
    return this.ofBroadcasts.add(broadcastSubject(topic), listener);
  }

  post(_envelope: Envelope): Promise<boolean> {
    return Promise.resolve(false);
  }

  forward(): Cancel {
    return () => undefined;
  }

  publish(): Promise<void> {
    return Promise.resolve();
  }

  onEventsLost(): Cancel {
    return () => undefined;
  }

  onReconnect(): Cancel {
    return () => undefined;
  }

  reconnect(): boolean {
    return false;
  }

  unreached(): readonly number[] {
    return [];
  }

  subscribeAgain(): void {
    // nothing between two nodes loses a subscription
  }

  close(): Promise<void> {
    this.members.delete(this);
    this.serving.clear();
    for (const each of [this.ofId, this.ofScope, this.ofBroadcasts]) each.clear();
    return Promise.resolve();
  }

  /** Delivers one copy a moment later, like a network. */
  private async answer(partition: number, text: string): Promise<CopyAnswer> {
    await Promise.resolve();
    const answering = this.serving.get(partition);
    const envelope = envelopeFrom(text);
    if (answering === undefined || envelope === null) return { is: 'nobody' };
    const result: AskResult | null = await answering(envelope);
    const back = result === null ? null : resultFrom(resultText(result, envelope.shows));
    return back === null ? { is: 'silent' } : { is: 'answered', result: back };
  }

  private *others(): Generator<Member> {
    for (const member of this.members) if (member !== this) yield member;
  }
}
