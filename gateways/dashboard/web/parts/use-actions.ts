/** The actions of a screen, of which one is open at a time: its form is shown until it is done or taken back. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';

/** `way`: the open one, or null. `done` is given what is announced. */
export function useActions<Way extends string>(onChanged: () => void) {
  const { announce } = useScreenContext();
  const [way, choose] = useState<Way | null>(null);
  const back = (): void => choose(null);
  const done = (news: string): void => {
    announce(news);
    back();
    onChanged();
  };
  return { way, choose, back, done };
}
