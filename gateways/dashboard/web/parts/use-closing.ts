/** An open menu closes on Escape, and when the user moves elsewhere. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

export function useClosing(menu: RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    const left = ({ target }: Event): void => {
      const open = menu.current;
      if (open?.open === true && !(target instanceof Node && open.contains(target))) open.open = false;
    };
    const pressed = ({ key }: KeyboardEvent): void => {
      const open = menu.current;
      if (key !== 'Escape' || open?.open !== true) return;
      open.open = false;
      open.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', left);
    document.addEventListener('focusin', left);
    document.addEventListener('keydown', pressed);
    return () => {
      document.removeEventListener('pointerdown', left);
      document.removeEventListener('focusin', left);
      document.removeEventListener('keydown', pressed);
    };
  }, [menu]);
}
