/** The totals of the day so far: the money received, and what else happened. */
import type { ComponentChildren } from 'preact';
import { checkoutsRoute, paymentsRoute } from '../../places.ts';
import { useRef } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { counted, countText } from '../../words/money.ts';
import { longDayText } from '../../words/time.ts';
import { Amount } from '../../parts/marks.tsx';
import './today.css';

export function TodaySummary() {
  const { liveState, now, to } = useScreenContext();
  const { today } = liveState;
  const listOf = (filters: Partial<(typeof paymentsRoute)['none']>): string =>
    to(paymentsRoute.at({ filters: { period: 'today', ...filters } }));
  return (
    <section class="slip today" aria-labelledby="today">
      <div class="order">
        <h2 id="today">
          Paid today <span class="soft">{longDayText(now)}</span>
        </h2>
        {today === null ? (
          <p class="amount ghost" aria-hidden="true">
            <span class="unit">NPR</span>–
          </p>
        ) : (
          <p class="amount">
            <Moved value={today.paidAmount}>
              <Amount paisa={today.paidAmount} />
            </Moved>
          </p>
        )}
        <p class="what">
          {today === null ? (
            'Waiting for the totals'
          ) : (
            <a href={listOf({ period: 'paid_today' })}>
              <Moved value={today.paidCount}>{counted(today.paidCount, 'payment')}</Moved>
            </a>
          )}
        </p>
      </div>
      <div class="fold" aria-hidden="true" />
      <dl class="figures">
        <Figure
          name="Open now"
          hint="A buyer can still pay"
          value={today?.openCount ?? null}
          tone="busy"
          href={to(checkoutsRoute.at({ filters: { status: 'open' } }))}
        />
        <Figure
          name="Failed today"
          hint="Declined, or no answer"
          value={today?.failedCount ?? null}
          tone={(today?.failedCount ?? 0) > 0 ? 'bad' : 'plain'}
          href={listOf({ status: 'failed' })}
        />
        <Figure
          name="Paid on average"
          hint="Per payment today"
          text={today === null || today.paidCount === 0 ? null : <Amount paisa={average(today)} />}
          value={today === null ? null : average(today)}
          tone="plain"
        />
      </dl>
    </section>
  );
}

const average = ({
  paidAmount,
  paidCount,
}: {
  readonly paidAmount: number;
  readonly paidCount: number;
}): number => (paidCount === 0 ? 0 : Math.round(paidAmount / paidCount));

interface FigureProps {
  readonly name: string;
  readonly hint: string;
  readonly value: number | null;
  readonly tone: 'busy' | 'bad' | 'plain';
  readonly href?: string;
  /** Shown instead of the number. */
  readonly text?: ComponentChildren;
}

function Figure({ name, hint, value, tone, href, text }: FigureProps) {
  const shown = value === null || text === null ? '–' : (text ?? countText(value));
  const moved = <Moved value={text === null ? null : value}>{shown}</Moved>;
  return (
    <div class={`figure ${tone}`}>
      <dt>{name}</dt>
      <dd>{href === undefined || value === null ? moved : <a href={href}>{moved}</a>}</dd>
      <dd class="soft hint">{hint}</dd>
    </div>
  );
}

/** A number that is highlighted for a moment when it changes. */
function Moved({ value, children }: { readonly value: number | null; readonly children: ComponentChildren }) {
  const before = useRef({ value, times: 0 });
  if (before.current.value !== value) {
    const isFirst = before.current.value === null;
    before.current = { value, times: before.current.times + (isFirst ? 0 : 1) };
  }
  const { times } = before.current;
  // two names for one animation: a second change in a row is animated as well
  return <span class={times === 0 ? undefined : `moved-${times % 2}`}>{children}</span>;
}
