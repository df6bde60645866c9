/** The browser's address as state: links navigate within the page, back and forward return to earlier
 *  addresses. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { home } from './route.ts';

export interface Address {
  readonly path: string;
  readonly search: string;
}

export interface Going {
  readonly address: Address;
  readonly go: (address: string) => void;
  /** As go, but replaces the current history entry. */
  readonly replace: (address: string) => void;
}

/** State that the browser keeps with each history entry. */
interface Entry {
  readonly scrollY?: number;
  /** The user came from a list: back returns to it as it was left. */
  readonly fromList?: boolean;
}

const entryHere = (): Entry => (history.state as Entry | null) ?? {};

const here = (): Address => ({ path: location.pathname, search: location.search });

/** `isList`: whether a list is at this address. */
export function useAddress(isList: (address: Address) => boolean): Going {
  const [address, setAddress] = useState(here);
  const scroll = useRef<number | null>(null);

  const go = useCallback(
    (to: string) => {
      const left: Entry = { ...entryHere(), scrollY: window.scrollY };
      const entered: Entry = { fromList: isList(here()) };
      history.replaceState(left, '');
      history.pushState(entered, '', to);
      scroll.current = 0;
      setAddress(here());
    },
    [isList],
  );
  const replace = useCallback((to: string) => {
    history.replaceState(null, '', to);
    setAddress(here());
  }, []);

  useEffect(() => {
    history.scrollRestoration = 'manual';
    const popped = (): void => {
      scroll.current = entryHere().scrollY ?? 0;
      setAddress(here());
    };
    const clicked = (event: MouseEvent): void => {
      const to = linkOf(event);
      if (to === null) return;
      event.preventDefault();
      go(to);
    };
    window.addEventListener('popstate', popped);
    document.addEventListener('click', clicked);
    return () => {
      window.removeEventListener('popstate', popped);
      document.removeEventListener('click', clicked);
    };
  }, [go]);

  useLayoutEffect(() => {
    if (scroll.current === null) return;
    window.scrollTo(0, scroll.current);
    scroll.current = null;
  }, [address]);

  return { address, go, replace };
}

/** The target of a plain click on a link of this page; null when the browser should handle it. */
function linkOf(event: MouseEvent): string | null {
  const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey, target } = event;
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return null;
  const link = target instanceof Element ? target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin) return null;
  const isOurs = link.pathname === home || link.pathname.startsWith(`${home}/`);
  return isOurs && link.hash === '' ? `${link.pathname}${link.search}` : null;
}

/** For a link back to a list: goes back to the list the user came from, as it was left; otherwise follows
 *  the link. */
export function backToList(event: MouseEvent): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain || entryHere().fromList !== true) return;
  event.preventDefault();
  history.back();
}
