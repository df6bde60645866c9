/** Placeholders where there is no content: not yet, not at all, or not now. Each suggests the next step. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePageContext } from '../context.ts';
import type { Link } from '../route.ts';
import { adviceOn, isUnclear, type Failure } from '../wire/failure.ts';
import { Glyph, type GlyphName } from './marks.tsx';

/** `whole`: there is nothing else to show. */
export const Failed = (of: {
  readonly failure: Failure;
  readonly again: () => void;
  readonly whole?: boolean;
}) => (
  <div class={of.whole === true ? 'notice bad whole' : 'notice bad'} role="alert">
    <Glyph name="note" />
    <div>
      <strong>{of.failure.status === 404 ? 'There is no such thing here' : of.failure.message}</strong>
      {adviceOn(of.failure)}{' '}
      <button type="button" class="link" onClick={of.again}>
        Try again
      </button>
    </div>
  </div>
);

/** Why a form was not accepted; what was typed stays. `unclear`: what to do when it may have been executed, where
 *  sending it again would do it twice. */
export const FormFailure = ({
  failure,
  unclear = 'Press the button again: it is executed once.',
}: {
  readonly failure: Failure;
  readonly unclear?: string;
}) => (
  <div class="notice bad" role="alert">
    <Glyph name="note" />
    <div>
      <strong>{failure.message}</strong>
      {isUnclear(failure)
        ? unclear
        : failure.status === 429
          ? 'Wait a moment, then press the button again.'
          : failure.code === 'account_suspended'
            ? 'Nothing can be changed until the operator lifts the suspension.'
            : 'Correct it, then press the button again.'}
    </div>
  </div>
);

export interface EmptyProps {
  readonly sign: GlyphName;
  readonly title: string;
  /** The filter or search that it answers, a new object for each request: the notice is scrolled into view,
   *  which on a phone is further down. */
  readonly answerTo?: object;
  readonly children: ComponentChildren;
}

export function Empty({ sign, title, answerTo, children }: EmptyProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answerTo !== undefined) place.current?.scrollIntoView({ block: 'nearest' });
  }, [answerTo]);
  return (
    <div class="empty" ref={place}>
      <span class="sign">
        <Glyph name={sign} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** What is said when there is no row, and what can be done. */
export interface EmptyWords {
  readonly sign: GlyphName;
  readonly title: string;
  readonly text: ComponentChildren;
  readonly next?: readonly [word: string, link: Link];
  readonly children?: ComponentChildren;
}

export function EmptyList({ words: { sign, title, text, next, children } }: { readonly words: EmptyWords }) {
  const { to } = usePageContext();
  return (
    <Empty sign={sign} title={title}>
      <p class="soft">{text}</p>
      {next !== undefined && (
        <a class="button" href={to(next[1])}>
          {next[0]}
          <Glyph name="arrow" />
        </a>
      )}
      {children}
    </Empty>
  );
}

/** Grey lines in the shape of the coming content; visible only when loading takes long. */
export const Loading = ({ lines, what }: { readonly lines: number; readonly what: string }) => (
  <div class="loading" role="status">
    <span class="unseen">Loading {what}</span>
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} class="bone" aria-hidden="true" />
    ))}
  </div>
);
