/** The title of a screen: in the browser's tab, and as the keyboard focus target after navigation. */
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { usePageContext } from './context.ts';

/** Whether any screen was shown since the page was loaded; one flag for the whole page, because another
 *  project or mode, a login or going back is a new screen for screen reader users, even when components are
 *  mounted again. */
export interface Arrival {
  isOver: boolean;
}

const ArrivalContext = createContext<Arrival | null>(null);

export const ArrivalProvider = ArrivalContext.Provider;

/** Of the page in which this is drawn. */
export function useArrival(): Arrival {
  const arrival = useContext(ArrivalContext);
  if (arrival === null) throw new Error('There is no page around this screen.');
  return arrival;
}

/** The page's title. */
export function useTitle(title: string): void {
  const { titleWord } = usePageContext();
  useEffect(() => {
    document.title = `${title} · ${titleWord} · Galla`;
  }, [title, titleWord]);
}

/** Moves the focus to the heading of a new screen; not for the page's first one, which the browser handles. */
export function useFocusOnHeading(screen: string): void {
  const arrival = useArrival();
  useEffect(() => {
    if (arrival.isOver) focusHeading();
    arrival.isOver = true;
  }, [screen]);
}

export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
