/** Says how far a move is: what it does, how fast, and how long that will take. */
import { progress as say } from '../output.ts';

export class Progress {
  #what = '';
  #since = 0;
  #records = 0;

  begin(what: string): void {
    [this.#what, this.#since, this.#records] = [what, performance.now(), 0];
    say(what);
  }

  /** `share`: how much of it is done, of 1. */
  step(records: number, share: number): void {
    this.#records += records;
    const tookMs = performance.now() - this.#since;
    const perSecond = Math.round(this.#records / Math.max(0.001, tookMs / 1000));
    say(
      `${this.#what}: ${Math.floor(share * 100)} %, ${perSecond} records a second, ` +
        `${durationText((tookMs * (1 - share)) / Math.max(0.001, share))} left`,
    );
  }
}

/** `1 min 20 s` */
export function durationText(ms: number): string {
  const all = Math.ceil(ms / 1000);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`;
}
