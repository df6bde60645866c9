/** The context shared by the screens: of every page, and of the pages of one place. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { LiveState } from './live/live-state.ts';
import type { Follows, NewsHeard } from './live/news-heard.ts';
import type { Questions } from './questions.ts';
import type { Link } from './route.ts';
import type { Api } from './wire/api.ts';
import type { Attention, Place } from './wire/types.ts';

export interface PageContext {
  readonly api: Api;
  /** What its answers are about: a project and mode, or the operator's. */
  readonly scope: string;
  /** In the browser's tab, after the title: the tab may be all that is visible. */
  readonly titleWord: string;
  /** What has changed so far. */
  readonly news: NewsHeard;
  /** What the questions of this screen depend on. */
  readonly follows: Follows;
  /** Whether to ask already: what is asked before the socket has its snapshot must be asked again after it. */
  readonly isReady: boolean;
  /** Changes arrive by themselves; otherwise everything is polled. */
  readonly isLive: boolean;
  /** On the clock of what is shown; updated every few seconds. */
  readonly now: number;
  /** Real time, which is not the sandbox's. */
  readonly realNow: number;
  readonly isSandbox: boolean;
  /** Its address here. */
  readonly to: (link: Link) => string;
  readonly go: (address: string) => void;
  /** Announces it to screen readers. */
  readonly announce: (sentence: string) => void;
  readonly questions: Questions;
  /** The projects of this login have changed. */
  readonly onProjectsChanged: () => void;
}

export interface ScreenContext extends PageContext {
  readonly place: Place;
  readonly liveState: LiveState;
  /** What waits for a person; null: not known yet. */
  readonly attention: Attention | null;
  /** The test clock was advanced from here: it shows `now`. */
  readonly onClockMoved: (now: string) => void;
}

const pageContext = createContext<PageContext | null>(null);
const screenContext = createContext<ScreenContext | null>(null);

export const PageContextProvider = pageContext.Provider;
export const ScreenContextProvider = screenContext.Provider;

export function usePageContext(): PageContext {
  const context = useContext(pageContext);
  if (context === null) throw new Error('There is no page around this part.');
  return context;
}

/** Only inside a place. */
export function useScreenContext(): ScreenContext {
  const context = useContext(screenContext);
  if (context === null) throw new Error('There is no place around this screen.');
  return context;
}
