/** The bytes of event streams (docs/reference/api/direct-qr.md, docs/reference/api/events.md): frames, headers, and the
 *  answer when a stream cannot be served now.
 *  1. Lines end with one 0A; JSON is on one line, with its keys in the order written here.
 *  2. Only an event of the log carries an id: `connected` and `ping` never move a reader's position. */
import { randomInt } from 'node:crypto';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { DoorReply } from '../server/door.ts';
import { anyOrigin, type Headers } from '../http/route/reply.ts';

/** How long a browser waits before it connects again. */
const retryMs = 3000;
/** The same for a reader that could not be served: random, so that not all reconnect together. */
const retryMsMin = 5000;
const retryMsMax = 15_000;

/** Headers of a stream; the listener adds those of every answer. */
export const streamHeaders: Headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export const openStreamHeaders: Headers = { ...streamHeaders, ...anyOrigin };

/** A ping every 7 s, in 28 slots of 250 ms. */
export const pingEveryMs: DurationMs = seconds(7);
export const pingSlots = 28;

/** Constant: one for all streams. */
export const pingFrame: Readonly<Buffer> = Buffer.from('event: ping\ndata: {}\n\n');

/** The first frame of every stream; sets the reconnection time. */
export const connectedFrame = (data: object): string =>
  `retry: ${retryMs}\nevent: connected\ndata: ${JSON.stringify(data)}\n\n`;

/** One event; `data` is JSON on one line. */
export const eventFrame = (id: string, event: string, data: string): string =>
  `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;

/** Tells a reader to reconnect in 5 to 15 seconds: the whole content of a stream that cannot be served now. */
export const retryBlock = (): string => `retry: ${randomInt(retryMsMin, retryMsMax + 1)}\n\n`;

/** Browsers give up for good on any status but 200, so this is a 200. */
export const tryLaterReply = (headers: Headers): DoorReply => ({ status: 200, headers, body: retryBlock() });
