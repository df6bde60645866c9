/** Commands that wait for their turn at one actor, and how many may.
 *  1. What does not fit is turned away before anything of it is executed.
 *  2. Results of effects and timers always fit: they are what makes room. */
import type { Admission } from './admission.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';

/** Commands of doors one mailbox holds. */
export const mailboxMax = 128;
/** Commands of other actors; their outboxes wait and come again. */
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

  /** Whether this command must come again later; `outFull`: the actor has too much to send already. */
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

  /** What was taken and not executed comes first again. */
  putBack(pending: readonly Pending[]): void {
    this.waiting.unshift(...pending);
    this.admission.count(this.partition, doorsIn(pending));
  }

  /** Everything but what the runtime itself brings. */
  takeForeign(): Pending[] {
    return this.takeWhere((envelope) => !isOwn(envelope));
  }

  /** Everything somebody outside waits for. */
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

/** Whether somebody outside waits for it: what actors and the runtime tell is sent until it is answered. */
export const isOfDoor = ({ by }: Envelope): boolean => by !== 'system';

const doorsIn = (pending: readonly Pending[]): number =>
  pending.reduce((doors, { envelope }) => doors + (isOfDoor(envelope) ? 1 : 0), 0);

const isOwn = ({ settles, timer }: Envelope): boolean => settles !== undefined || timer !== undefined;
