/** A search field of a list: what is typed becomes an address. */
import { useEffect, useRef } from 'preact/hooks';
import { usePageContext } from '../context.ts';
import { Glyph } from './marks.tsx';

/** What a search field looks like, and what it finds. */
export interface FinderWords {
  /** What it finds, for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  readonly title?: string;
  readonly maxLength?: number;
  readonly inputMode?: 'email';
  readonly autocapitalize?: 'none';
  readonly spellcheck?: boolean;
}

export interface FinderProps {
  readonly words: FinderWords;
  readonly value: string;
  readonly addressOf: (found: string) => string;
}

const charactersMax = 100;

export function Finder({ words: { label, ...input }, value, addressOf }: FinderProps) {
  const { go } = usePageContext();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = value;
  }, [value]);
  const found = (event: SubmitEvent): void => {
    event.preventDefault();
    // on a phone its keyboard would cover the results
    if (matchMedia('(pointer: coarse)').matches) field.current?.blur();
    go(addressOf(field.current?.value.trim() ?? ''));
  };
  return (
    <form class="find" role="search" onSubmit={found}>
      <Glyph name="search" />
      <label class="unseen" for="find">
        {label}
      </label>
      <input id="find" ref={field} type="search" title={label} maxLength={charactersMax} {...input} />
      <button class="step" type="submit">
        Find
      </button>
    </form>
  );
}
