/** A point in time for readers: the clock time in Nepal, and how long ago that is. */
import { agoText, clockText, dayText, fullText } from '../words/time.ts';

export interface WhenProps {
  /** ISO text. */
  readonly at: string;
  /** On the same clock. */
  readonly now: number;
}

/** `3:01 pm 4 min ago`; earlier days `19 Nov, 3:01 pm`. `underDay`: the day is shown above it. */
export function When({ at, now, underDay = false }: WhenProps & { readonly underDay?: boolean }) {
  const instant = Date.parse(at);
  const day = underDay ? 'Today' : dayText(instant, now);
  return (
    <time class="when" dateTime={at} title={fullText(instant)}>
      {day === 'Today' ? clockText(instant) : `${day}, ${clockText(instant)}`}{' '}
      <span class="ago">{agoText(instant, now)}</span>
    </time>
  );
}

/** How long ago only; the clock time is in the title. */
export const Ago = ({ at, now }: WhenProps) => (
  <time class="when" dateTime={at} title={fullText(Date.parse(at))}>
    {agoText(Date.parse(at), now)}
  </time>
);
