/** What a screen is called: in the browser's tab, and where the keyboard goes when one comes to it. */
import { useEffect, useRef } from 'preact/hooks';
import { useBench } from './context.ts';

/** The page's title; it says the mode, because a tab may be all one sees. */
export function useTitle(title: string): void {
  const { place } = useBench();
  useEffect(() => {
    document.title = `${title} · ${place.mode === 'live' ? 'Live' : 'Sandbox'} · Galla`;
  }, [title, place.mode]);
}

/** Puts the keyboard at the heading of a screen one came to; not of the first one, the browser does that. */
export function useFocusOnHeading(screen: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    focusHeading();
  }, [screen]);
}

export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
