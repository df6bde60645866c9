/** How the faults of docs/guides/sandbox.md affect an exchange.
 *  Boundary: what is answered, when and whether; the actor `simulator` has decided which faults apply.
 *  1. `delay`, `timeout` and `reset` affect only the answer: the request is executed.
 *  2. An answer replaced by an error page means that nothing was done. */
import type { Fault, FaultKind } from '../../actors/simulated-payment/messages.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { DoorReply } from '../server/door.ts';

export const has = (faults: readonly Fault[], kind: FaultKind): Fault | null =>
  faults.find((fault) => fault.kind === kind) ?? null;

const htmlType = 'text/html; charset=utf-8';
const page = (status: number, title: string): DoorReply => ({
  status,
  headers: { 'Content-Type': htmlType },
  body: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
});

/** Far more than any client reads of an answer. */
const hugeBytes = 4 * 1024 * 1024;

const errorPages: { readonly [K in FaultKind]?: DoorReply } = {
  http_500_html: page(500, 'Server Error (500)'),
  http_502: page(502, '502 Bad Gateway'),
  http_429: { status: 429, body: null },
  not_json: { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'Service is running' },
  outage_200: { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{}' },
};

const huge = (): DoorReply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: `{"status":"Completed","padding":"${' '.repeat(hugeBytes)}"}`,
});

/** The page that replaces the answer; null when none does. `outage`: the provider's own under `outage_200`. */
export function errorPage(faults: readonly Fault[], outage?: DoorReply): DoorReply | null {
  for (const { kind } of faults) {
    if (kind === 'huge_body') return huge();
    const found = kind === 'outage_200' ? (outage ?? errorPages[kind]) : errorPages[kind];
    if (found !== undefined) return found;
  }
  return null;
}

/** By then the listener has timed the door out. */
const waitMsMax: DurationMs = seconds(30);

/** Waits as long as the faults specify, in real time. */
export async function delayed(
  faults: readonly Fault[],
  wait: (ms: DurationMs) => Promise<void>,
): Promise<void> {
  for (const { kind, delayMs } of faults) if (kind === 'delay') await wait(Math.min(delayMs, waitMsMax));
}

/** The answer as sent: whole, cut off in the middle, or never. */
export function carried(faults: readonly Fault[], reply: DoorReply): DoorReply {
  if (has(faults, 'timeout') !== null) return { ...reply, fault: 'never' };
  return has(faults, 'reset') !== null ? { ...reply, fault: 'reset' } : reply;
}

/** Characters of an answer kept in the log of its payment. */
const loggedMax = 4096;

/** The log entry of an answer. */
export function loggedAs({ status, body, fault }: DoorReply): string {
  if (fault === 'never') return 'no answer';
  const text = typeof body === 'string' ? body.slice(0, loggedMax) : '';
  return `${status}${text === '' ? '' : ` ${text}`}${fault === 'reset' ? ' (cut in the middle)' : ''}`;
}
