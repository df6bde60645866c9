/** Above a screen that does not show changes by itself: of when it is, and the button that asks again. Above a screen
 *  of real time in the sandbox: that its times are not the sandbox's. */
import { useEffect, useRef } from 'preact/hooks';
import type { Asked } from '../asked.ts';
import { usePageContext } from '../context.ts';
import { asOfText } from '../words/time.ts';
import { Glyph } from './marks.tsx';

export interface ScreenNotesProps {
  /** null: the screen shows changes by itself. */
  readonly asked: Pick<Asked<unknown>, 'at' | 'again'> | null;
  /** Whether its times are real time beside a clock that is not. */
  readonly isRealTime: boolean;
}

export function ScreenNotes({ asked, isRealTime }: ScreenNotesProps) {
  if (asked === null && !isRealTime) return null;
  return (
    <div class="over-screen screen-notes">
      {isRealTime && (
        <p>
          <Glyph name="clock" />
          Times here are real time, not the sandbox’s.
        </p>
      )}
      {asked !== null && <AsOf asked={asked} />}
    </div>
  );
}

function AsOf({ asked: { at, again } }: { readonly asked: Pick<Asked<unknown>, 'at' | 'again'> }) {
  const { now, announce } = usePageContext();
  const isWanted = useRef(false);
  // the answer came on this computer's clock; shown is the time of the screen
  const shownAt = at === null ? null : at + now - Date.now();
  const text = shownAt === null ? 'Asking' : asOfText(shownAt, now);
  useEffect(() => {
    if (isWanted.current) announce(`${text}.`);
    isWanted.current = false;
  }, [at]);
  const refresh = (): void => {
    isWanted.current = true;
    again();
  };
  return (
    <p class="as-of">
      <span>{text}</span>
      <button type="button" class="link" onClick={refresh}>
        Refresh
      </button>
    </p>
  );
}
