/** Routes a command to its target, on this node or another, and returns the outcome; executes here what comes from
 *  another node.
 *  1. MOVED and "no subscriber" refer to one copy and prove that this copy was not executed: the next copy
 *     is sent.
 *  2. After a copy without an answer, the next one is sent under the same identity, a bounded number of
 *     times (docs/decisions/0018): the target executes one and answers the others with its stored outcome.
 *     A late answer to an earlier copy is ignored.
 *  3. A command that cannot carry an identity and is not idempotent has at most one copy that may stay
 *     unanswered.
 *  4. Once a copy stayed unanswered, only an outcome stored by the target is trusted: any other answer
 *     refers to one copy only.
 *  5. Every ask ends: at its deadline it is unknown, unless each of its copies was proven not executed.
 *     Nothing is sent to an unresponsive owner: the router waits for the next owner.
 *  6. A command runs under a lease. Without one its copy is answered as proven not executed.
 *  7. If the store does not answer here, a gateway on another node is notified when the breaker opens. Commands
 *     that have started by then are unknown; the others are not executed, nor are later ones until the store
 *     answers again. */
import {
  pause,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
  type Scheduler,
} from '../../kernel/time.ts';
import type { Bus, CopyAnswer } from '../../bus/bus.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import { isOfDoor } from '../activation/mailbox.ts';
import { unanswered, type StoreBreaker } from '../activation/store-breaker.ts';
import type { AskNumbers } from './ask-numbers.ts';
import type { AnyActor, Json } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { Asking, AskUntyped } from '../model/client.ts';
import { showCommitted, type AskResult, type Envelope, type Shown } from '../model/envelope.ts';
import type { AskWay, RuntimeMeters } from '../model/meters.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { shownWithView } from './shown-with-view.ts';

export const askWaitMs = seconds(10);
const askWaitMsMax = seconds(30);
/** How long a caller waits beyond the deadline for an answer that may be in transit. */
const graceMs = 50;
const copyAgainMsMin = 10;
const copyAgainMsMax = 250;
/** Without a bus connection a caller waits this long for it to return; then it receives what is known. */
export const withoutBusMsMax = 500;
const retryAfterMs = 1000;
/** How long the first copy may stay unanswered. A store that is slow for longer, but not yet unavailable, costs more
 *  copies. */
export const unansweredMsMin: DurationMs = seconds(1);
/** Each further copy is waited for this much longer: a slow owner is not flooded, and connection losses at
 *  a regular interval do not hit every copy. */
const unansweredGrowth = 1.5;
/** Copies of one ask that may stay unanswered; the last one is waited for until the deadline. */
export const unansweredCopiesMax = 5;

/** Sent to the owner of an actor whose timers should be fired by the walk of a test clock. */
export const fireTimers = '_fire';

/** How long the owner of an actor may take to show it; then the store is asked. */
const ownerReadMsMax: DurationMs = 50;

export interface CommandRouterParts {
  readonly scheduler: Scheduler;
  readonly ownership: Ownership;
  readonly bus: Bus;
  readonly numbers: AskNumbers;
  readonly kinds: ReadonlyMap<string, AnyActor>;
  readonly registry: Pick<ActivationRegistry, 'bring' | 'inMemory' | 'turnDoorsAway'>;
  readonly breaker: Pick<StoreBreaker, 'race' | 'onOpen'>;
  readonly faults: BrokenBuild;
  readonly meters: RuntimeMeters;
}

/** One command in progress. */
interface InFlight {
  envelope: Envelope;
  readonly idempotent: boolean;
  /** Copies that were sent and stayed unanswered. */
  unanswered: number;
  /** Since when there has been no bus connection; null while there is one. */
  cutAt: DurationMs | null;
  /** Its caller was answered: no further copy may be sent. */
  over: boolean;
}

export class CommandRouter {
  private readonly parts: CommandRouterParts;
  private readonly open = new Set<(result: AskResult) => void>();
  /** Nothing more is sent. */
  ended = false;

  constructor(parts: CommandRouterParts) {
    this.parts = parts;
    parts.breaker.onOpen(() => parts.registry.turnDoorsAway());
  }

  /** Sends one command and waits for its committed outcome. Never rejects. A value, so that a client hands it on as its
   *  own. */
  readonly ask: AskUntyped = (to, command, data, asking) => {
    if (this.ended) return Promise.resolve({ is: 'unknown' });
    if (!this.parts.kinds.has(to.kind)) return Promise.resolve(notFound);
    const waitMs = Math.min(asking.waitMs ?? askWaitMs, askWaitMsMax);
    const deadline = this.parts.scheduler.now() + waitMs;
    return this.outcomeOf(
      envelopeOf(to, command, data, asking, deadline),
      waitMs,
      asking.idempotent === true,
    );
  };

  /** What the owner of an actor on another node shows of it; null: it does not say in time, and the store decides. */
  async shownElsewhere(to: Address): Promise<Shown | null> {
    const { ownership, bus, scheduler } = this.parts;
    const partition = ownership.partitionOf(to.id);
    if (this.ended || !ownership.maySend(partition)) return null;
    const deadline = scheduler.now() + ownerReadMsMax;
    const question = { to, command: showCommitted, data: {}, by: 'system', scope: null } as const;
    const answer = await bus.ask(partition, { ...question, shows: 'whole', deadline }, ownerReadMsMax);
    const result = answer.is === 'answered' ? this.readable(to, answer.result) : null;
    return result?.is === 'ok' ? (result.shown ?? null) : null;
  }

  /** Executes a command that came over the bus. */
  async ofOthers(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    if (envelope.command === showCommitted) return this.shownHere(lease, envelope.to);
    const answer = this.execute(lease, envelope);
    if (!isOfDoor(envelope)) return answer;
    // commands still waiting when a lease ends get no answer, so no caller may wait longer than the lease
    const heard = await this.parts.breaker.race(lease.whileMine(answer));
    return heard === unanswered || heard === null ? { is: 'unknown' } : heard;
  }

  /** Only what is in memory, and was written or stamped under this lease. Its partition checks the lease once more
   *  when the answer leaves. */
  private async shownHere(lease: PartitionLease, { kind, id }: Address): Promise<AskResult> {
    const { kinds, registry } = this.parts;
    const actor = kinds.get(kind);
    const activation = actor === undefined ? undefined : registry.inMemory(actor, id);
    if (activation?.lease !== lease || !activation.answersReads) return gone;
    // a commit may take longer than the other node waits
    const late = pause(this.parts.scheduler, ownerReadMsMax).then(() => null);
    const doc = activation.answersNow
      ? activation.shownNow()
      : await Promise.race([activation.shown(), late]).catch(() => null);
    const shown = activation.answersReads ? activation.held.shown(doc) : null;
    return shown === null ? gone : { is: 'ok', v: shown.v, detail: {}, shown };
  }

  /** Ends every open ask as unknown, and sends nothing more: this process is stopping. */
  endAll(): void {
    this.ended = true;
    for (const give of this.open) give({ is: 'unknown' });
    this.open.clear();
  }

  private outcomeOf(envelope: Envelope, waitMs: DurationMs, idempotent: boolean): Promise<AskResult> {
    const { meters, numbers, scheduler } = this.parts;
    const one: InFlight = { envelope, idempotent, unanswered: 0, cutAt: null, over: false };
    return new Promise((resolve) => {
      const give = (result: AskResult): void => {
        if (one.over) return;
        one.over = true;
        cancel();
        this.open.delete(give);
        // from here on no caller waits for a late copy: the next ask reports this to the target
        const { identity } = one.envelope;
        if (identity !== undefined && envelope.identity === undefined) numbers.over(one.envelope);
        meters.ask(result.is, this.wayTo(envelope));
        resolve(result);
      };
      // no answer by the deadline proves nothing: it may be executed at this very moment
      const cancel = scheduler.after(waitMs + graceMs, () => give({ is: 'unknown' }));
      this.open.add(give);
      void this.send(one).then(give);
    });
  }

  private wayTo({ to }: Envelope): AskWay {
    return this.parts.ownership.leaseOf(to.id) === undefined ? 'remote' : 'local';
  }

  private async send(one: InFlight): Promise<AskResult> {
    const { ownership, scheduler } = this.parts;
    for (let delay = copyAgainMsMin; ; delay = Math.min(delay * 2, copyAgainMsMax)) {
      const { unanswered } = one;
      const lease = ownership.leaseOf(one.envelope.to.id);
      const result = lease === undefined ? await this.there(one) : await this.here(lease, one);
      if (result !== 'undone') return result;
      if (one.unanswered > unanswered) delay = copyAgainMsMin;
      const cutOff = lease === undefined && this.cutOff(one);
      if (one.over || cutOff || scheduler.now() + delay >= one.envelope.deadline) return this.endOf(one);
      await pause(scheduler, delay);
      if (one.over) return this.endOf(one);
    }
  }

  /** Whether the bus connection has been down for too long. */
  private cutOff(one: InFlight): boolean {
    const { bus, scheduler } = this.parts;
    if (bus.connected) one.cutAt = null;
    else one.cutAt ??= scheduler.steady();
    return one.cutAt !== null && scheduler.steady() >= one.cutAt + withoutBusMsMax;
  }

  /** The result when no other copy is sent. */
  private endOf({ unanswered }: InFlight): AskResult {
    const proved = unanswered === 0 || this.parts.faults.movedIsProof === true;
    return proved ? { is: 'not_executed', why: 'moved', retryAfterMs } : { is: 'unknown' };
  }

  private async here(lease: PartitionLease, one: InFlight): Promise<AskResult | 'undone'> {
    const asked = this.execute(lease, one.envelope);
    // commands still waiting when a lease ends get no answer; on a single node the lease ends with the
    // process
    const result = await (lease.partition === null ? asked : lease.whileMine(asked));
    return result === null ? this.noAnswer(one) : this.checked(one, result);
  }

  private async execute(lease: PartitionLease, envelope: Envelope): Promise<AskResult> {
    const { kinds, registry } = this.parts;
    const { kind, id } = envelope.to;
    const actor = kinds.get(kind);
    const activation = actor === undefined ? undefined : registry.bring(lease, actor, id);
    // its deadline has passed, or the sender knows a kind that this version does not
    if (activation === undefined) return gone;
    if (envelope.command !== fireTimers) return activation.deliver(envelope);
    return { is: 'ok', v: 0, detail: { fired: await activation.fireTimers(true) } };
  }

  private async there(one: InFlight): Promise<AskResult | 'undone'> {
    const { ownership, numbers } = this.parts;
    const { to, identity } = one.envelope;
    const partition = ownership.partitionOf(to.id);
    if (!ownership.maySend(partition)) return 'undone';
    if (identity === undefined && !one.idempotent) one.envelope = numbers.numbered(one.envelope);
    const answer = await this.copy(partition, one);
    if (answer.is === 'nobody') return 'undone';
    return answer.is === 'silent' ? this.noAnswer(one) : this.checked(one, this.readable(to, answer.result));
  }

  /** What another node shows gets its view here; what this build cannot read is left out. */
  private readable({ kind }: Address, result: AskResult): AskResult {
    if ((result.is !== 'ok' && result.is !== 'refused') || result.shown === undefined) return result;
    const { shown, ...bare } = result;
    const seen = shownWithView(this.parts.kinds.get(kind), shown);
    return seen === null ? bare : { ...bare, shown: seen };
  }

  private copy(partition: number, one: InFlight): Promise<CopyAnswer> {
    const { bus, ownership } = this.parts;
    return new Promise((resolve) => {
      let cancel: Cancel | null = null;
      const end = (answer: CopyAnswer): void => {
        cancel?.();
        resolve(answer);
      };
      cancel = ownership.whenUnresponsive(partition, () => end({ is: 'silent' }));
      void bus.ask(partition, one.envelope, waitOf(one)).then(end);
    });
  }

  /** Marks the next copy as a repetition. */
  private noAnswer(one: InFlight): AskResult | 'undone' {
    one.unanswered++;
    if (!mayRepeat(one) || one.unanswered >= unansweredCopiesMax) return this.endOf(one);
    const again = { ...one.envelope, again: true };
    one.envelope = this.parts.faults.repeatsAsNew === true ? this.parts.numbers.numbered(again) : again;
    return 'undone';
  }

  private checked(one: InFlight, result: AskResult): AskResult | 'undone' {
    if (result.is === 'not_executed' && result.why === 'moved') return 'undone';
    if (one.unanswered === 0 || this.parts.faults.movedIsProof === true) return result;
    const isStored = result.is === 'ok' || (result.is === 'refused' && result.code !== 'not_found');
    return isStored ? result : { is: 'unknown' };
  }
}

const notFound: AskResult = { is: 'refused', code: 'not_found', detail: {} };
/** The lease has ended: the next owner is asked at once. */
const gone: AskResult = { is: 'not_executed', why: 'moved', retryAfterMs: 0 };

function envelopeOf(
  to: Address,
  command: string,
  data: unknown,
  { by, scope, identity, again, ifState, sole, shows }: Asking,
  deadline: Instant,
): Envelope {
  return {
    to,
    command,
    data: data as Json,
    by,
    scope,
    deadline,
    ...(identity === undefined ? {} : { identity }),
    ...(again === true ? { again } : {}),
    ...(ifState === undefined ? {} : { ifState }),
    ...(sole === undefined ? {} : { sole }),
    ...(shows === true ? { shows } : {}),
  };
}

const mayRepeat = ({ envelope, idempotent }: InFlight): boolean =>
  idempotent || envelope.identity !== undefined;

const waitOf = (one: InFlight): DurationMs =>
  mayRepeat(one) && one.unanswered + 1 < unansweredCopiesMax
    ? unansweredMsMin * unansweredGrowth ** one.unanswered
    : Infinity;
