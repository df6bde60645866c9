/** Carries a command to its target, wherever that is served, and brings what it came to.
 *  1. MOVED and "nobody there" are said of one copy and prove that this copy was not executed: the next one goes.
 *  2. After a copy that stayed silent the next one goes under the same identity, a bounded number of them
 *     (docs/decisions/0018): the target executes one and answers the others with its stored outcome. What comes of an
 *     earlier copy meanwhile is ignored.
 *  3. What cannot carry an identity and does not come to the same when executed twice has one copy that may be silent.
 *  4. Once a copy was silent, only an outcome the target has stored is believed: any other word speaks of one copy.
 *  5. Every ask ends: at its deadline it is unknown, unless each of its copies was proved undone. To an unresponsive
 *     owner nothing is sent: the next owner is waited for. */
import { pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus, CopyAnswer } from '../../bus/bus.ts';
import type { AskNumbers } from './ask-numbers.ts';
import type { BrokenBuild } from '../model/broken-builds.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import type { AskWay, RuntimeMeters } from '../model/meters.ts';
import type { Ownership } from '../cluster/ownership.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';

export const askWaitMs = seconds(10);
export const askWaitMsMax = seconds(30);
/** What an asker waits beyond the deadline for an answer that was on its way. */
const graceMs = 50;
const copyAgainMsMin = 10;
const copyAgainMsMax = 250;
/** Without a wire an asker waits this long for it to come back; then he is told what is known. */
export const withoutBusMsMax = 500;
const retryAfterMs = 1000;
/** How long the first copy may be silent. Above what a slow store takes to be called silent. */
export const silentMsMin: DurationMs = seconds(1);
/** Each copy after a silent one is waited for so much longer: an owner that is slow is not flooded, and what breaks
 *  connections at a steady pace does not meet every copy. */
const silentGrowth = 1.5;
/** Copies of one ask that may be silent; the last one is waited for to the end. */
export const silentCopiesMax = 5;

export interface CommandRouterParts {
  readonly scheduler: Scheduler;
  readonly ownership: Ownership;
  readonly bus: Bus;
  readonly numbers: AskNumbers;
  /** Hands a command to an actor served here. */
  readonly deliver: (lease: PartitionLease, envelope: Envelope) => Promise<AskResult>;
  readonly faults: BrokenBuild;
  readonly meters: RuntimeMeters;
}

/** One command under way. */
interface Carried {
  envelope: Envelope;
  readonly idempotent: boolean;
  /** Copies that were sent and stayed silent. */
  silent: number;
  /** Since when there has been no wire; null while there is one. */
  cutAt: DurationMs | null;
  /** Its asker was answered: nothing of it may leave any more. */
  over: boolean;
}

export class CommandRouter {
  private readonly parts: CommandRouterParts;
  private readonly open = new Set<(result: AskResult) => void>();

  constructor(parts: CommandRouterParts) {
    this.parts = parts;
  }

  /** Never rejects. `idempotent`: executed twice it comes to the same, at any later time. */
  ask(envelope: Envelope, waitMs: DurationMs, idempotent = false): Promise<AskResult> {
    const { meters, numbers, scheduler } = this.parts;
    const one: Carried = { envelope, idempotent, silent: 0, cutAt: null, over: false };
    return new Promise((resolve) => {
      const give = (result: AskResult): void => {
        if (one.over) return;
        one.over = true;
        cancel();
        this.open.delete(give);
        // from here on a late copy is nobody's: the next ask says so to the target
        if (envelope.identity === undefined) numbers.over(one.envelope);
        meters.ask(result.is, this.wayTo(envelope));
        resolve(result);
      };
      // silence past the deadline proves nothing: it may be executed at this very moment
      const cancel = scheduler.after(waitMs + graceMs, () => give({ is: 'unknown' }));
      this.open.add(give);
      void this.carry(one).then(give);
    });
  }

  /** Every open ask ends as unknown: this process is gone, or is somebody else by now. */
  endAll(): void {
    for (const give of this.open) give({ is: 'unknown' });
    this.open.clear();
  }

  private wayTo({ to }: Envelope): AskWay {
    return this.parts.ownership.leaseOf(to.id) === undefined ? 'remote' : 'local';
  }

  private async carry(one: Carried): Promise<AskResult> {
    const { ownership, scheduler } = this.parts;
    for (let delay = copyAgainMsMin; ; delay = Math.min(delay * 2, copyAgainMsMax)) {
      const { silent } = one;
      const lease = ownership.leaseOf(one.envelope.to.id);
      const result = lease === undefined ? await this.there(one) : await this.here(lease, one);
      if (result !== 'undone') return result;
      if (one.silent > silent) delay = copyAgainMsMin;
      const cutOff = lease === undefined && this.cutOff(one);
      if (one.over || cutOff || scheduler.now() + delay >= one.envelope.deadline) return this.endOf(one);
      await pause(scheduler, delay);
      if (one.over) return this.endOf(one);
    }
  }

  /** Whether the wire to the others has been gone for too long. */
  private cutOff(one: Carried): boolean {
    const { bus, scheduler } = this.parts;
    if (bus.connected) one.cutAt = null;
    else one.cutAt ??= scheduler.steady();
    return one.cutAt !== null && scheduler.steady() >= one.cutAt + withoutBusMsMax;
  }

  /** What is known when no other copy goes. */
  private endOf({ silent }: Carried): AskResult {
    const proved = silent === 0 || this.parts.faults.movedIsProof === true;
    return proved ? { is: 'not_executed', why: 'moved', retryAfterMs } : { is: 'unknown' };
  }

  private async here(lease: PartitionLease, one: Carried): Promise<AskResult | 'undone'> {
    const asked = this.parts.deliver(lease, one.envelope);
    // what waits at the end of a lease is never answered; the one of a node that is alone ends with the process
    const result = await (lease.partition === null ? asked : lease.whileMine(asked));
    return result === null ? this.fellSilent(one) : this.believed(one, result);
  }

  private async there(one: Carried): Promise<AskResult | 'undone'> {
    const { ownership, numbers } = this.parts;
    const { to, identity } = one.envelope;
    const partition = ownership.partitionOf(to.id);
    if (!ownership.maySpeak(partition)) return 'undone';
    if (identity === undefined && !one.idempotent) one.envelope = numbers.numbered(one.envelope);
    const answer = await this.copy(partition, one);
    if (answer.is === 'nobody') return 'undone';
    return answer.is === 'silent' ? this.fellSilent(one) : this.believed(one, answer.result);
  }

  private copy(partition: number, one: Carried): Promise<CopyAnswer> {
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

  /** The next copy says that there was one before. */
  private fellSilent(one: Carried): AskResult | 'undone' {
    one.silent++;
    if (!mayRepeat(one) || one.silent >= silentCopiesMax) return this.endOf(one);
    const again = { ...one.envelope, again: true };
    one.envelope = this.parts.faults.repeatsAsNew === true ? this.parts.numbers.numbered(again) : again;
    return 'undone';
  }

  private believed(one: Carried, result: AskResult): AskResult | 'undone' {
    if (result.is === 'not_executed' && result.why === 'moved') return 'undone';
    if (one.silent === 0 || this.parts.faults.movedIsProof === true) return result;
    const isStored = result.is === 'ok' || (result.is === 'refused' && result.code !== 'not_found');
    return isStored ? result : { is: 'unknown' };
  }
}

const mayRepeat = ({ envelope, idempotent }: Carried): boolean =>
  idempotent || envelope.identity !== undefined;

const waitOf = (one: Carried): DurationMs =>
  mayRepeat(one) && one.silent + 1 < silentCopiesMax ? silentMsMin * silentGrowth ** one.silent : Infinity;
