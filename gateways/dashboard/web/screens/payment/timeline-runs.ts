/** A timeline prepared for reading: repeated entries are one line with a count. Pure. */
import { providerLabels } from '../../words/providers.ts';
import { providerWord } from '../../words/words.ts';
import type { TimelineEntry } from '../../wire/types.ts';

/** Consecutive entries with the same content; at least one. */
export interface Run {
  readonly first: TimelineEntry;
  readonly last: TimelineEntry;
  readonly count: number;
  /** Milliseconds since the end of the previous run; null for the first. */
  readonly sinceMs: number | null;
}

/** Oldest first, as the API returns them. */
export function runsOf(entries: readonly TimelineEntry[]): readonly Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const at = runs.length - 1;
    const same = [at, at - 1].find((back) => goesOn(runs, back, entry));
    const run = same === undefined ? undefined : runs[same];
    if (same !== undefined && run !== undefined) {
      runs[same] = { ...run, last: entry, count: run.count + 1 };
      continue;
    }
    const before = runs[at];
    const sinceMs = before === undefined ? null : Math.max(0, Date.parse(entry.at) - endOf(runs));
    runs.push({ first: entry, last: entry, count: 1, sinceMs });
  }
  return runs;
}

/** Whether the run at this position has the entry's content; the run after it, if any, must be repeated as
 *  often: each look-up may be followed by the reason why it was not believed. */
function goesOn(runs: readonly Run[], at: number, entry: TimelineEntry): boolean {
  const run = runs[at];
  const after = runs[at + 1];
  return run !== undefined && saysTheSame(run.last, entry) && (after === undefined || isRepeated(after.last));
}

/** Two callbacks stay two entries; repeated look-ups are one. */
const isRepeated = ({ kind }: TimelineEntry): boolean => kind === 'poll' || kind === 'refused';

const saysTheSame = (a: TimelineEntry, b: TimelineEntry): boolean =>
  isRepeated(a) && a.kind === b.kind && a.summary === b.summary;

const endOf = (runs: readonly Run[]): number =>
  Math.max(...runs.slice(-2).map(({ last }) => Date.parse(last.at)));

const providerIds = new RegExp(`\\b(?:${Object.keys(providerLabels).join('|')})\\b`, 'g');

/** The sentence of an entry, with providers' display names and without the content of its details. */
export function summaryOf({ kind, summary }: TimelineEntry): string {
  const attempt = kind === 'webhook_attempt' ? /^(\S+) to we_\w+, (try \d+: .*)$/s.exec(summary) : null;
  if (attempt !== null) return `${attempt[1]}, ${attempt[2]}`;
  return summary.replace(providerIds, providerWord);
}

export interface SentEvent {
  readonly endpointId: string;
  readonly eventId: string;
}

/** The events sent about this payment, per endpoint, oldest first; at most `sentEventsMax`. */
export function sentEvents(entries: readonly TimelineEntry[]): readonly SentEvent[] {
  const sent = new Map<string, SentEvent>();
  for (const { kind, detail } of entries) {
    const [endpointId, eventId] = [detail?.['endpointId'], detail?.['eventId']];
    if (kind !== 'webhook_attempt' || typeof endpointId !== 'string' || typeof eventId !== 'string') continue;
    sent.set(`${endpointId} ${eventId}`, { endpointId, eventId });
  }
  return [...sent.values()].slice(-sentEventsMax);
}

export const sentEventsMax = 12;
