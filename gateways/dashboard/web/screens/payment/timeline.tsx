/** The history of a payment, in order. */
import { useScreenContext } from '../../context.ts';
import { runsOf, summaryOf, type Run } from './timeline-runs.ts';
import { dayText, durationText, fullText, secondText, sinceText } from '../../words/time.ts';
import { countText } from '../../words/money.ts';
import { Glyph, UserText, type GlyphName } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import type { TimelineRead } from './use-timeline.ts';

const signs: Readonly<Record<string, GlyphName>> = {
  transition: 'flag',
  provider_call: 'call',
  provider_callback: 'arrive',
  provider_socket: 'arrive',
  buyer_return: 'person',
  poll: 'eye',
  refused: 'halt',
  refund: 'back',
  webhook_attempt: 'send',
  operator: 'person',
  note: 'note',
};

const kinds: Readonly<Record<string, string>> = {
  transition: 'State',
  provider_call: 'Asked the provider',
  provider_callback: 'The provider called',
  provider_socket: 'Heard on the provider’s socket',
  buyer_return: 'The buyer came back',
  poll: 'Looked up',
  refused: 'Refused',
  refund: 'Refund',
  webhook_attempt: 'Webhook',
  operator: 'Operator',
  note: 'Note',
};

export function Timeline({
  timeline,
  isOpen,
}: {
  readonly timeline: TimelineRead;
  readonly isOpen: boolean;
}) {
  const { entries, total, failure, again } = timeline;
  return (
    <section class="slip lone act" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {failure !== null && <Failed failure={failure} again={again} />}
      {entries === null && failure === null && <Loading lines={4} what="the timeline" />}
      {entries !== null && (
        <ol class="timeline">
          {runsOf(entries).map((run) => (
            <RunRow key={`${run.first.at} ${run.first.kind} ${run.first.summary}`} run={run} />
          ))}
          {isOpen && (
            <li class="entry waiting">
              <span class="dot-sign" aria-hidden="true" />
              <p class="soft">Goes on by itself</p>
            </li>
          )}
        </ol>
      )}
      {entries !== null && entries.length < total && (
        <p class="soft">
          The first {countText(entries.length)} of {countText(total)} entries.
        </p>
      )}
    </section>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  const { first, last, count } = run;
  const facts = Object.entries({ cause: last.cause, ...last.detail }).filter(([, value]) =>
    isWorthSaying(value),
  );
  const words = (
    <span class="entry-words">
      <span class="summary">
        <UserText text={summaryOf(first)} />
        {count > 1 && <b class="times">{countText(count)} times</b>}
      </span>
      <Meta run={run} />
    </span>
  );
  return (
    <li class={`entry ${toneOf(run)}`}>
      <span class="dot-sign" aria-hidden="true">
        <Glyph name={signs[first.kind] ?? 'note'} />
      </span>
      {facts.length === 0 ? (
        words
      ) : (
        <details>
          <summary>
            {words}
            <Glyph name="down" />
          </summary>
          <Facts facts={facts} />
        </details>
      )}
    </li>
  );
}

function Meta({ run: { first, last, count, sinceMs } }: { readonly run: Run }) {
  const { now } = useScreenContext();
  const at = Date.parse(first.at);
  const day = dayText(at, now);
  return (
    <span class="soft meta">
      <time dateTime={first.at} title={fullText(at)}>
        {day === 'Today' ? '' : `${day}, `}
        {secondText(at)}
      </time>
      {count > 1 && <span>until {secondText(Date.parse(last.at))}</span>}
      {sinceMs !== null && sinceMs >= 1 && <span class="since">{sinceText(sinceMs)}</span>}
      <span>{kinds[first.kind] ?? first.kind}</span>
      {last.durationMs !== null && <span>took {durationText(last.durationMs)}</span>}
    </span>
  );
}

/** The details of the newest entry of a run. */
const Facts = ({ facts }: { readonly facts: readonly (readonly [string, unknown])[] }) => (
  <dl class="pairs">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</dd>
      </div>
    ))}
  </dl>
);

const isWorthSaying = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

function toneOf({ last }: Run): 'good' | 'bad' | 'warn' | 'plain' {
  const status = Number(last.detail?.['httpStatus'] ?? 200);
  if (last.kind === 'transition' && last.to === 'success') return 'good';
  if (last.kind === 'transition' && last.to === 'failed') return 'bad';
  if (last.kind === 'refused') return 'warn';
  const isAttempt = last.kind === 'webhook_attempt';
  return isAttempt && (last.detail?.['httpStatus'] === null || status >= 300) ? 'warn' : 'plain';
}
