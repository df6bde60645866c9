/** What every page has around its screen: the link to the content, the only live region, and the foot. */
import type { ComponentChildren, VNode } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { PageContextProvider, type PageContext } from './context.ts';
import { useEvery } from './asked.ts';
import { focusHeading, useFocusOnHeading } from './heading.ts';
import { UnknownScreen } from './screens/not-found.tsx';
import { Questions, type QuestionClock } from './questions.ts';
import type { Shown } from './screen.tsx';

export interface PageFrameProps {
  readonly context: PageContext;
  readonly shown: Shown | null;
  /** The latest announcement. */
  readonly sentence: string;
  /** Above the screen. */
  readonly children: ComponentChildren;
}

export const PageFrame = ({ context, shown, sentence, children }: PageFrameProps) => (
  <PageContextProvider value={context}>
    <a class="skip" href="#main" onClick={skipped}>
      Skip to the content
    </a>
    {children}
    <Focused on={shown?.identity ?? 'unknown'}>{shown?.view ?? <UnknownScreen />}</Focused>
    <p class="unseen" role="status" aria-live="polite">
      {sentence}
    </p>
    <footer class="foot">
      <p class="by">Payments by Galla</p>
    </footer>
  </PageContextProvider>
);

interface FocusedProps {
  readonly on: string;
  readonly children: VNode;
}

/** Moves the focus to the heading of each new screen, once it is rendered. */
function Focused({ on, children }: FocusedProps) {
  useFocusOnHeading(on);
  return children;
}

function skipped(event: MouseEvent): void {
  event.preventDefault();
  focusHeading();
}

/** The text of the live region: the same sentence twice is announced twice. */
export function useAnnouncer(): [string, (sentence: string) => void] {
  const [said, setSaid] = useState({ text: '', odd: false });
  const announce = useCallback((text: string) => setSaid(({ odd }) => ({ text, odd: !odd })), []);
  return [said.odd ? `${said.text}\u00A0` : said.text, announce];
}

const ofWindow: QuestionClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = window.setTimeout(work, ms);
    return () => window.clearTimeout(timer);
  },
};

/** The questions of one page. */
export const useQuestions = (): Questions => useMemo(() => new Questions(ofWindow), []);

const tickMs = 5_000;

/** Draws again every few seconds, for times relative to now. */
export function useTicks(): void {
  const [, setTick] = useState(0);
  useEvery(
    tickMs,
    useCallback(() => setTick((before) => before + 1), []),
  );
}
