/** The words of the incidents of providers. Pure. */
import type { FailedCalls, ProviderIncident, ProviderIncidents } from '../wire/types.ts';
import { dayMs } from './time.ts';
import type { StateWords } from './words.ts';

export const incidentStates: Readonly<Record<ProviderIncident['kind'], StateWords>> = {
  degraded: { word: 'Often fails', tone: 'warn', sign: 'note' },
  down: { word: 'Down', tone: 'bad', sign: 'cross' },
  refused: { word: 'Refuses us', tone: 'bad', sign: 'note' },
};

const calls: Readonly<Record<string, readonly [one: string, many: string]>> = {
  start: ['start', 'starts'],
  lookup: ['look-up', 'look-ups'],
  refund: ['refund', 'refunds'],
};
const whys: Readonly<Record<string, string>> = {
  timeout: 'timed out',
  connection: 'could not connect',
  too_large: 'sent too much',
  unreadable: 'had no readable answer',
};

const failedText = ({ call, why, count }: FailedCalls): string =>
  `${count} ${calls[call]?.[count === 1 ? 0 : 1] ?? call} ${whys[why] ?? why}`;

/** Why it was opened. */
export function whyText(incident: ProviderIncident): string {
  switch (incident.kind) {
    case 'degraded':
      return `${incident.paid} of ${incident.attempts} attempts of 15 minutes were paid.`;
    case 'down':
      return `No answer: ${incident.failed.map(failedText).join(', ')}.`;
    case 'refused':
      return `It does not take our ${calls[incident.call]?.[1] ?? 'requests'}: “${withoutName(incident.says)}”`;
  }
}

/** Without the name of what failed, which an answer may begin with. */
const withoutName = (says: string): string => says.replace(/^[\w-]+: /, '');

/** What to do now. */
export const adviceText: Readonly<Record<ProviderIncident['kind'], string>> = {
  degraded: 'It stands last on the payment page, with a notice.',
  down: 'Buyers cannot pick it. It is tried again every 30 seconds.',
  refused: 'Every payment with it fails. Check the credentials below; this ends when it takes a request.',
};

/** `31 s`, `4 min 10 s`, `2 h 5 min`, `3 days 4 h`. */
export function lastedText(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'days'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const at = Math.max(
    0,
    units.findIndex(([size]) => s >= size),
  );
  const [size, unit] = units[at] ?? [1, 's'];
  const whole = Math.floor(s / size);
  const [small, smallUnit] = units[at + 1] ?? [1, ''];
  const rest = smallUnit === '' ? 0 : Math.floor((s % size) / small);
  const big = `${whole} ${unit === 'days' && whole === 1 ? 'day' : unit}`;
  return rest === 0 ? big : `${big} ${rest} ${smallUnit}`;
}

export const stripDays = 7;

export interface Block {
  readonly id: string;
  readonly kind: ProviderIncident['kind'];
  /** Percent of the strip. */
  readonly from: number;
  readonly width: number;
}

/** A short incident is still seen. */
const widthMin = 0.6;

/** The incidents of one provider as blocks of a strip that ends now. */
export function blocksOf(incidents: readonly ProviderIncident[], now: number): readonly Block[] {
  const began = now - stripDays * dayMs;
  const percent = (at: number): number => ((at - began) / (stripDays * dayMs)) * 100;
  return incidents.flatMap(({ id, kind, openedAt, closedAt }) => {
    const end = percent(closedAt === null ? now : Date.parse(closedAt));
    if (end <= 0) return [];
    const from = Math.max(0, percent(Date.parse(openedAt)));
    const width = Math.max(widthMin, end - from);
    return [{ id, kind, from: Math.min(from, 100 - width), width }];
  });
}

/** All of them, newest first: what is open is known at once, the list may follow by a moment. */
export function allOf({ open, data }: ProviderIncidents): readonly ProviderIncident[] {
  const known = new Set(open.map(({ id }) => id));
  return [...open, ...data.filter(({ id }) => !known.has(id))].toSorted(
    (a, b) => Date.parse(b.openedAt) - Date.parse(a.openedAt),
  );
}
