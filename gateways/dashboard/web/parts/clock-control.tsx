/** The time of the sandbox, and the buttons that advance it. */
import { useRef } from 'preact/hooks';
import { useScreenContext } from '../context.ts';
import { counted } from '../words/money.ts';
import { clockText, dayMs, longDayText } from '../words/time.ts';
import { Glyph } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { useAdvance } from './use-advance.ts';
import { useClosing } from './use-closing.ts';

const steps: readonly (readonly [seconds: number, word: string])[] = [
  [3_600, '1 hour'],
  [dayMs / 1000, '1 day'],
  [(7 * dayMs) / 1000, '7 days'],
  [(30 * dayMs) / 1000, '30 days'],
];

export function ClockControl() {
  const { now } = useScreenContext();
  const menu = useRef<HTMLDetailsElement>(null);
  useClosing(menu);
  const { isBusy, failure, progress, advance, stop } = useAdvance();
  return (
    <details class="sandbox-clock" ref={menu}>
      <summary>
        <Glyph name="clock" />
        <span>
          {longDayText(now)} {new Date(now).getUTCFullYear()}, {clockText(now)}
        </span>
        <Glyph name="down" />
      </summary>
      <div class="card-menu">
        <p>
          <b>Sandbox time</b> is your project’s own. Advance it, and everything that becomes due until then
          happens in order: invoices, reminders, expiries.
        </p>
        <div class="buttons" role="group" aria-label="Advance the sandbox time by">
          {steps.map(([bySeconds, word]) => (
            <button
              key={word}
              type="button"
              class="step"
              aria-busy={isBusy}
              onClick={() => advance({ bySeconds })}
            >
              + {word}
            </button>
          ))}
        </div>
        {isBusy && (
          <>
            <p role="status">
              {progress === null
                ? 'Advancing: what became due is being done.'
                : `Advancing: ${counted(progress.fired, 'timer')} so far.`}
            </p>
            <div class="buttons">
              <button type="button" class="step" onClick={stop}>
                Stop here
              </button>
            </div>
          </>
        )}
        {failure !== null && <FormFailure failure={failure} />}
        <p class="soft">It never goes back.</p>
      </div>
    </details>
  );
}
