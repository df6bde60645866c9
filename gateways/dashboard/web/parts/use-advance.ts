/** Advances the test clock of a sandbox, and waits until everything that became due has been done. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import type { Advance, TestClock } from '../wire/types.ts';
import { isUnclear, type Failure } from '../wire/failure.ts';
import { pause } from '../../../../src/kernel/time.ts';
import { counted } from '../words/money.ts';
import { fullText } from '../words/time.ts';

const pollMs = 1_000;
/** A long advance of a busy project takes minutes. */
const pollsMax = 600;

/** Of this window. */
const timers: Parameters<typeof pause>[0] = {
  after: (delay, work) => {
    const timer = window.setTimeout(work, delay);
    return () => window.clearTimeout(timer);
  },
};

export interface AdvanceClock {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** How far a long advance has come; null until the service says so. */
  readonly progress: TestClock | null;
  readonly advance: (by: Advance) => void;
  /** Ends it at the instant it has reached. */
  readonly stop: () => void;
}

export function useAdvance(onDone: () => void = () => undefined): AdvanceClock {
  const { api, place, announce, onClockMoved } = useScreenContext();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [progress, setProgress] = useState<TestClock | null>(null);
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);

  const run = async (by: Advance): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    const sent = { isAnswered: false };
    void watchUntilAnswered(sent);
    let result = await api.call('POST /v1/test/clock/advance', place, { body: by, key: crypto.randomUUID() });
    sent.isAnswered = true;
    for (let polls = 0; polls < pollsMax && isHere.current; polls++) {
      const goesOn = result.ok ? result.value.status === 'advancing' : isUnclear(result.failure);
      if (!goesOn) break;
      if (result.ok) setProgress(result.value);
      await pause(timers, pollMs);
      result = await api.call('GET /v1/test/clock', place);
    }
    if (!isHere.current) return;
    setBusy(false);
    setProgress(null);
    if (!result.ok) return setFailure(result.failure);
    const { now, fired } = result.value;
    onClockMoved(now);
    announce(`Sandbox time is ${fullText(Date.parse(now))}. ${counted(fired, 'timer')} fired.`);
    onDone();
  };
  /** A long advance is answered late, so it is watched meanwhile. */
  const watchUntilAnswered = async (sent: { readonly isAnswered: boolean }): Promise<void> => {
    for (;;) {
      await pause(timers, pollMs);
      if (sent.isAnswered || !isHere.current) return;
      const seen = await api.call('GET /v1/test/clock', place);
      if (seen.ok && !sent.isAnswered) setProgress(seen.value);
    }
  };
  /** Its answer says where it has ended. */
  const stop = async (): Promise<void> => {
    const result = await api.call('POST /v1/test/clock/stop', place, { key: crypto.randomUUID() });
    if (!result.ok && isHere.current) setFailure(result.failure);
  };
  return { isBusy, failure, progress, advance: (by) => void run(by), stop: () => void stop() };
}
