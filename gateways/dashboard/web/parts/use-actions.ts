/** The actions of a screen, of which one is open at a time: its form is shown until it is done or taken back. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../context.ts';

export interface Actions<Way> {
  /** null: none is open. */
  readonly way: Way | null;
  readonly choose: (way: Way) => void;
  readonly back: () => void;
  /** Announces what has been done. */
  readonly done: (news: string) => void;
}

export function useActions<Way>(onChanged: () => void): Actions<Way> {
  const { announce } = useScreenContext();
  const [way, setWay] = useState<Way | null>(null);
  const back = (): void => setWay(null);
  return {
    way,
    choose: (chosen) => setWay(() => chosen),
    back,
    done: (news) => {
      announce(news);
      back();
      onChanged();
    },
  };
}
