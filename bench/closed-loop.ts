/** Load from inside a process: so many callers, each asking again as soon as it is answered. */

export interface Run {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

export interface Callers {
  readonly atOnce: number;
  readonly forMs: number;
}

/** The event loop is let go each time: an ask that needs no store must not starve what does. */
export async function closedLoop(work: () => Promise<void>, { atOnce, forMs }: Callers): Promise<Run> {
  const latenciesMs: number[] = [];
  const from = performance.now();
  const until = from + forMs;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let now = performance.now(); now < until;) {
        await work();
        const after = performance.now();
        latenciesMs.push(after - now);
        now = after;
        if (latenciesMs.length % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  return { perSecond: latenciesMs.length / ((performance.now() - from) / 1000), latenciesMs };
}
