/** The commands waiting for a turn of one actor, and the bounds on them.
 *  1. A command that does not fit is rejected before any part of it is executed.
 *  2. A command that may not wait behind another request's is answered before it is queued, or when the other one is
 *     sent to the store; when the other one's gateway has died, or has been waited for long enough, it is queued like
 *     any other. Where the actor exists, the other one may be a repeat, which stores nothing.
 *  3. Results of effects and timers always fit, because they are what frees space. */
import type { Admission } from './admission.ts';
import { seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { AskResult, Envelope, Shown, Sole } from '../model/envelope.ts';

/** Gateway commands one mailbox holds. */
export const mailboxMax = 128;
/** Commands from other actors; above this, they stay in the senders' outboxes and are sent again. */
export const mailboxOfSystemMax = 4096;

/** How long a command is assumed to be wanted while its gateway lives. */
export const soleMsMax: DurationMs = seconds(30);

/** What a mailbox must know of its node. */
export interface MailboxHost {
  readonly admission: Admission;
  readonly scheduler: Pick<Scheduler, 'steady'>;
  /** Node processes whose requests may still be in progress. */
  readonly incarnationsAlive: readonly string[];
}

/** A command that waits or runs, since this steady time. */
interface Held extends Sole {
  readonly since: DurationMs;
  isStored: boolean;
}

export interface Pending {
  readonly envelope: Envelope;
  readonly held?: Held;
  readonly resolve: (result: AskResult) => void;
}

export class Mailbox {
  private readonly host: MailboxHost;
  private readonly partition: number;
  private waiting: Pending[] = [];
  /** null for nearly every actor: no such command waits or runs. */
  private soles: Set<Held> | null = null;

  constructor(host: MailboxHost, actorId: string) {
    this.host = host;
    this.partition = host.admission.partitionOf(actorId);
  }

  private get admission(): Admission {
    return this.host.admission;
  }

  get size(): number {
    return this.waiting.length;
  }

  get first(): Envelope | undefined {
    return this.waiting[0]?.envelope;
  }

  /** Whether this command must be retried later; `outFull`: the actor already has too much to send. */
  refuses(envelope: Envelope, outFull: boolean): boolean {
    if (isOwn(envelope)) return false;
    if (!isOfDoor(envelope)) return this.size >= mailboxOfSystemMax;
    return this.size >= mailboxMax || outFull || this.admission.overloaded(this.partition);
  }

  /** Whether a command of another request waits or runs, for which this one may not wait. `exists`: the actor does. */
  isUnderWay({ sole }: Envelope, exists: boolean): boolean {
    if (sole === undefined || this.soles === null) return false;
    const { scheduler, incarnationsAlive } = this.host;
    const now = scheduler.steady();
    for (const { request, node, since, isStored } of this.soles)
      if (isStored || !exists)
        if (request !== sole.request && now - since < soleMsMax && incarnationsAlive.includes(node))
          return true;
    return false;
  }

  /** These are sent to the store now: returns the waiting ones that may not wait for it. */
  storing(batch: readonly Pending[]): readonly Pending[] {
    if (this.soles === null) return [];
    for (const { held } of batch) if (held !== undefined) held.isStored = true;
    return this.takeWhere((envelope) => this.isUnderWay(envelope, true));
  }

  push(pending: Pending): void {
    this.waiting.push(this.held(pending));
    if (isOfDoor(pending.envelope)) this.admission.count(this.partition, 1);
  }

  /** Its command counts as running until it is answered. */
  private held(pending: Pending): Pending {
    const { sole } = pending.envelope;
    if (sole === undefined) return pending;
    const soles = (this.soles ??= new Set());
    const one: Held = { ...sole, since: this.host.scheduler.steady(), isStored: false };
    soles.add(one);
    const resolve = (result: AskResult): void => {
      soles.delete(one);
      pending.resolve(result);
    };
    return { envelope: pending.envelope, held: one, resolve };
  }

  /** The first ones, at most `count`. */
  take(count: number): Pending[] {
    return this.counted(this.waiting.splice(0, count));
  }

  /** Commands that were taken but not executed return to the front. */
  putBack(pending: readonly Pending[]): void {
    this.waiting.unshift(...pending);
    this.admission.count(this.partition, doorsIn(pending));
  }

  /** Everything except the runtime's own commands. */
  takeForeign(): Pending[] {
    return this.takeWhere((envelope) => !isOwn(envelope));
  }

  /** Every command that an outside caller waits for. */
  takeOfDoors(): Pending[] {
    return this.takeWhere(isOfDoor);
  }

  private takeWhere(wanted: (envelope: Envelope) => boolean): Pending[] {
    const taken = this.waiting.filter(({ envelope }) => wanted(envelope));
    if (taken.length > 0) this.waiting = this.waiting.filter(({ envelope }) => !wanted(envelope));
    return this.counted(taken);
  }

  private counted(taken: Pending[]): Pending[] {
    this.admission.count(this.partition, -doorsIn(taken));
    return taken;
  }
}

/** Whether an outside caller waits for it. Commands from actors and the runtime are repeated until
 *  answered. */
export const isOfDoor = ({ by }: Envelope): boolean => by !== 'system';

const doorsIn = (pending: readonly Pending[]): number =>
  pending.reduce((doors, { envelope }) => doors + (isOfDoor(envelope) ? 1 : 0), 0);

const isOwn = ({ settles, timer }: Envelope): boolean => settles !== undefined || timer !== undefined;

/** Answers these commands, in their order; what `held` shows goes with the answers of those that ask for it. */
export function reply(
  batch: readonly Pending[],
  answers: readonly AskResult[],
  held: { shown(): Shown | null },
): void {
  for (const [at, { envelope, resolve }] of batch.entries()) {
    const answer = answers[at] ?? { is: 'unknown' };
    resolve(envelope.shows === true ? showing(envelope, answer, held) : answer);
  }
}

/** As a read by the sender would show it. */
function showing({ scope }: Envelope, answer: AskResult, held: { shown(): Shown | null }): AskResult {
  if (answer.is !== 'ok' && answer.is !== 'refused') return answer;
  const shown = held.shown();
  return shown === null || (scope !== null && shown.meta.scope !== scope) ? answer : { ...answer, shown };
}
