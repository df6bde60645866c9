/** The sections of the bar, in groups. On a phone they are one row that scrolls, and a button that shows them
 *  all below each other. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePageContext } from '../context.ts';
import { entryGroups, type Entry, type EntryGroup } from '../route.ts';
import type { Attention } from '../wire/types.ts';
import { countText } from '../words/money.ts';
import { Glyph } from './marks.tsx';

export interface SectionsProps {
  /** In display order. */
  readonly entries: readonly Entry[];
  /** The section of the current screen; null: none. */
  readonly current: Entry | null;
  readonly attention: Attention | null;
}

/** The entries of a merchant fit into the row with their usual space; the operator has more. */
const spacedMax = 12;

export function Sections({ entries, current, attention }: SectionsProps) {
  const [isOpen, setOpen] = useState(false);
  const nav = useRef<HTMLElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  useCurrentInView(nav, current);
  useEffect(() => setOpen(false), [current]);
  const pressed = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    <div
      class={`sections${isOpen ? ' open' : ''}${entries.length > spacedMax ? ' many' : ''}`}
      onKeyDown={pressed}
    >
      <nav aria-label="Sections" id="sections" ref={nav}>
        {groupsOf(entries).map(([group, own]) => (
          <Group
            key={group}
            group={group}
            entries={own}
            current={current}
            attention={attention}
            onChosen={() => setOpen(false)}
          />
        ))}
      </nav>
      {entries.length > 1 && (
        <button
          type="button"
          class="all-sections"
          ref={toggle}
          aria-expanded={isOpen}
          aria-controls="sections"
          aria-label="All sections"
          title="All sections"
          onClick={() => setOpen(!isOpen)}
        >
          <Glyph name={isOpen ? 'cross' : 'menu'} />
          <span aria-hidden="true">{isOpen ? 'Close' : 'All'}</span>
        </button>
      )}
    </div>
  );
}

interface GroupProps {
  readonly group: EntryGroup;
  readonly entries: readonly Entry[];
  readonly current: Entry | null;
  readonly attention: Attention | null;
  readonly onChosen: () => void;
}

function Group({ group, entries, current, attention, onChosen }: GroupProps) {
  const { to } = usePageContext();
  const name = entryGroups[group];
  return (
    <div class="group" role={name === null ? undefined : 'group'} aria-label={name ?? undefined}>
      {name !== null && (
        <span class="group-name" aria-hidden="true">
          {name}
        </span>
      )}
      {entries.map((entry) => (
        <a
          key={entry.word}
          href={to(entry.link)}
          aria-current={entry === current ? 'page' : undefined}
          class={entry.counts === undefined ? undefined : 'counted'}
          onClick={onChosen}
        >
          {entry.word}
          {entry.counts !== undefined && <Waiting count={attention?.[entry.counts] ?? 0} />}
        </a>
      ))}
    </div>
  );
}

const Waiting = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <span class="count">
      {countText(count)}
      <span class="unseen"> waiting</span>
    </span>
  );

/** In the order of their first entries. */
const groupsOf = (entries: readonly Entry[]): readonly (readonly [EntryGroup, readonly Entry[]])[] =>
  [...new Set(entries.map(({ group }) => group))].map((group) => [
    group,
    entries.filter((entry) => entry.group === group),
  ]);

/** Where the row scrolls, the current section is in view. */
function useCurrentInView(nav: { readonly current: HTMLElement | null }, current: Entry | null): void {
  useEffect(() => {
    const link = nav.current?.querySelector('[aria-current]');
    if (nav.current !== null && link instanceof HTMLElement)
      nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.clientWidth) / 2;
  }, [current]);
}
