/** What happens by itself, as a line in time that begins now. */
import { useScreenContext } from '../context.ts';
import type { ShownStep } from '../words/next-steps.ts';
import { agoText, clockText, dayText, fullText, momentText } from '../words/time.ts';
import { counted, unbroken } from '../words/money.ts';
import { Glyph, UserText } from './marks.tsx';
import { FormFailure } from './notices.tsx';
import { useAdvance } from './use-advance.ts';

export interface NextStepsProps {
  readonly steps: readonly ShownStep[];
  /** Shown when there is none. */
  readonly none: string;
}

export function NextSteps({ steps, none }: NextStepsProps) {
  const { now, place } = useScreenContext();
  const [first] = steps;
  return (
    <>
      <ol class="coming">
        <li class="now">
          <Moment at={now} />
          <span class="dot-sign" aria-hidden="true" />
          <span class="coming-what">
            <b>Now</b>
            {first === undefined && <span class="soft">{none}</span>}
          </span>
        </li>
        {steps.map((step) => (
          <Step key={`${step.at} ${step.title}`} step={step} />
        ))}
      </ol>
      {place.mode === 'sandbox' && first !== undefined && <ToNextStep at={first.at} />}
    </>
  );
}

const Moment = ({ at }: { readonly at: number }) => {
  const { now } = useScreenContext();
  return (
    <time dateTime={new Date(at).toISOString()} title={fullText(at)}>
      <b>{dayText(at, now)}</b>
      <span class="soft">{clockText(at)}</span>
    </time>
  );
};

function Step({ step: { at, title, text, tone, sign, more } }: { readonly step: ShownStep }) {
  const { now } = useScreenContext();
  const last = more.at(-1);
  return (
    <li class={tone}>
      <Moment at={at} />
      <span class="dot-sign" aria-hidden="true">
        <Glyph name={sign} />
      </span>
      <div class="coming-what">
        <span>
          <UserText text={unbroken(title)} /> <span class="soft ago">{agoText(at, now)}</span>
        </span>
        {text !== null && (
          <span class="soft">
            <UserText text={unbroken(text)} />
          </span>
        )}
        {last !== undefined && (
          <details>
            <summary>
              <span>
                {counted(more.length, 'more', 'more')}, until {momentText(last, now)}
              </span>
              <Glyph name="down" />
            </summary>
            <ul>
              {more.map((each) => (
                <li key={each}>{momentText(each, now)}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </li>
  );
}

/** In the sandbox nobody waits for it. */
function ToNextStep({ at }: { readonly at: number }) {
  const { now } = useScreenContext();
  const { isBusy, failure, advance } = useAdvance();
  return (
    <>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button
          type="button"
          class="step"
          aria-busy={isBusy}
          // what is due already only waits for the clock to move
          onClick={() => advance(at > now ? { to: new Date(at).toISOString() } : { bySeconds: 1 })}
        >
          <Glyph name="clock" />
          {isBusy ? 'Advancing' : 'Advance to the next step'}
        </button>
      </div>
    </>
  );
}
