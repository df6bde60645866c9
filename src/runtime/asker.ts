/** Carries a command to its target, wherever that is served, and brings what it came to (engine 1, 5).
 *  1. MOVED and "nobody there" are said of one copy and prove that this copy was not executed: the next one goes.
 *  2. After a copy that stayed silent no other goes: whoever has an identity asks again under it.
 *  3. Every ask ends: at its deadline it is unknown, unless each of its copies was proved undone; sooner when the owner
 *     who has a copy is found to be mute. To a mute owner none is sent: the next owner is waited for. */
import { seconds, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { Bus, CopyAnswer } from '../bus/bus.ts';
import type { BrokenBuild } from './broken-builds.ts';
import type { AskResult, Envelope } from './envelope.ts';
import type { AskWay, RuntimeMeters } from './meters.ts';
import type { Ownership } from './ownership.ts';
import type { Tenure } from './tenure.ts';

export const askWaitMs = seconds(10);
export const askWaitMsMax = seconds(30);
/** What an asker waits beyond the deadline for an answer that was on its way. */
const graceMs = 50;
const copyAgainMsMin = 10;
const copyAgainMsMax = 250;
/** Without a wire an asker waits this long for it to come back; then he is told that nothing was sent. */
export const withoutBusMsMax = 500;
const retryAfterMs = 1000;

export interface AskerParts {
  readonly scheduler: Scheduler;
  readonly ownership: Ownership;
  readonly bus: Bus;
  /** Hands a command to an actor served here. */
  readonly deliver: (tenure: Tenure, envelope: Envelope) => Promise<AskResult>;
  readonly faults: BrokenBuild;
  readonly meters: RuntimeMeters;
}

export class Asker {
  private readonly parts: AskerParts;
  private readonly open = new Set<(result: AskResult) => void>();

  constructor(parts: AskerParts) {
    this.parts = parts;
  }

  /** Never rejects. */
  ask(envelope: Envelope, waitMs: DurationMs): Promise<AskResult> {
    const { meters } = this.parts;
    return new Promise((resolve) => {
      const give = (result: AskResult): void => {
        cancel();
        if (this.open.delete(give)) meters.ask(result.is, this.wayTo(envelope));
        resolve(result);
      };
      // silence past the deadline proves nothing: it may be executed at this very moment
      const cancel = this.parts.scheduler.after(waitMs + graceMs, () => give({ is: 'unknown' }));
      this.open.add(give);
      void this.carry(envelope).then(give);
    });
  }

  /** Every open ask ends as unknown: this process is gone, or is somebody else by now. */
  endAll(): void {
    for (const give of this.open) give({ is: 'unknown' });
    this.open.clear();
  }

  private wayTo({ to }: Envelope): AskWay {
    return this.parts.ownership.tenureOf(to.id) === undefined ? 'remote' : 'local';
  }

  private async carry(envelope: Envelope): Promise<AskResult> {
    const { ownership, scheduler, bus } = this.parts;
    const noLaterThan = scheduler.steady() + withoutBusMsMax;
    for (let delay = copyAgainMsMin; ; delay = Math.min(delay * 2, copyAgainMsMax)) {
      const tenure = ownership.tenureOf(envelope.to.id);
      const result = tenure === undefined ? await this.there(envelope) : await this.here(tenure, envelope);
      if (result !== 'undone') return result;
      const cutOff = tenure === undefined && !bus.connected && scheduler.steady() >= noLaterThan;
      if (cutOff || scheduler.now() + delay >= envelope.deadline)
        return { is: 'not_executed', why: 'moved', retryAfterMs };
      await new Promise<void>((resolve) => void scheduler.after(delay, resolve));
    }
  }

  private async here(tenure: Tenure, envelope: Envelope): Promise<AskResult | 'undone'> {
    return undoneOr(await this.parts.deliver(tenure, envelope));
  }

  private async there(envelope: Envelope): Promise<AskResult | 'undone'> {
    const { ownership, faults } = this.parts;
    const partition = ownership.partitionOf(envelope.to.id);
    if (!ownership.maySpeak(partition)) return 'undone';
    const answer = await this.copy(partition, envelope);
    if (answer.is === 'nobody') return 'undone';
    if (answer.is === 'silent' && faults.movedIsProof === true) return 'undone';
    return answer.is === 'silent' ? { is: 'unknown' } : undoneOr(answer.result);
  }

  private copy(partition: number, envelope: Envelope): Promise<CopyAnswer> {
    const { bus, ownership } = this.parts;
    return new Promise((resolve) => {
      const cancel = ownership.whenMute(partition, () => resolve({ is: 'silent' }));
      void bus.ask(partition, envelope).then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }
}

const undoneOr = (result: AskResult): AskResult | 'undone' =>
  result.is === 'not_executed' && result.why === 'moved' ? 'undone' : result;
