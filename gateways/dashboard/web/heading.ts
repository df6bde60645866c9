/** What a screen is called: in the browser's tab, and where the keyboard goes when one comes to it. */
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { useBench } from './context.ts';

/** Whether a screen was seen since the page was loaded; one for the whole page, because another project or mode, a
 *  login and a way back are new screens to whoever listens, whatever is drawn anew for them. */
export interface Arrival {
  isOver: boolean;
}

const ArrivalContext = createContext<Arrival | null>(null);

export const ArrivalProvider = ArrivalContext.Provider;

/** Of the page this is drawn in. */
export function useArrival(): Arrival {
  const arrival = useContext(ArrivalContext);
  if (arrival === null) throw new Error('There is no page around this screen.');
  return arrival;
}

/** The page's title; it says the mode, because a tab may be all one sees. */
export function useTitle(title: string): void {
  const { place } = useBench();
  useEffect(() => {
    document.title = `${title} · ${place.mode === 'live' ? 'Live' : 'Sandbox'} · Galla`;
  }, [title, place.mode]);
}

/** Puts the keyboard at the heading of a screen one came to; not of the page's first one, the browser does that. */
export function useFocusOnHeading(screen: string): void {
  const arrival = useArrival();
  useEffect(() => {
    if (arrival.isOver) focusHeading();
    arrival.isOver = true;
  }, [screen]);
}

export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
