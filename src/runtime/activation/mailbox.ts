/** The commands waiting for a turn of one actor, and the bounds on them.
 *  1. A command that does not fit is rejected before any part of it is executed.
 *  2. Results of effects and timers always fit, because they are what frees space. */
import type { Admission } from './admission.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';

/** Gateway commands one mailbox holds. */
export const mailboxMax = 128;
/** Commands from other actors; above this, they stay in the senders' outboxes and are sent again. */
export const mailboxOfSystemMax = 4096;

export interface Pending {
  readonly envelope: Envelope;
  readonly resolve: (result: AskResult) => void;
}

export class Mailbox {
  private readonly admission: Admission;
  private readonly partition: number;
  private waiting: Pending[] = [];

  constructor(admission: Admission, actorId: string) {
    this.admission = admission;
    this.partition = admission.partitionOf(actorId);
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

  push(pending: Pending): void {
    this.waiting.push(pending);
    if (isOfDoor(pending.envelope)) this.admission.count(this.partition, 1);
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
