/** The context shared by every screen of a place. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { LiveState } from './live/live-state.ts';
import type { Link } from './route.ts';
import type { Api } from './wire/api.ts';
import type { Place } from './wire/types.ts';

export interface ScreenContext {
  readonly api: Api;
  readonly place: Place;
  readonly liveState: LiveState;
  /** On the project's clock; updated every few seconds. */
  readonly now: number;
  /** Its address in this place. */
  readonly to: (link: Link) => string;
  readonly go: (address: string) => void;
  /** Announces it to screen readers. */
  readonly announce: (sentence: string) => void;
  /** Answers of lists, so that going back shows the earlier content at once. */
  readonly answers: Map<string, unknown>;
}

const screenContext = createContext<ScreenContext | null>(null);

export const ScreenContextProvider = screenContext.Provider;

/** Only inside a place. */
export function useScreenContext(): ScreenContext {
  const context = useContext(screenContext);
  if (context === null) throw new Error('There is no place around this screen.');
  return context;
}
