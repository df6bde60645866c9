/** The wire format, as JSON text: envelopes and their answers.
 *  Boundary: shape only. Its actor checks the contents of a command.
 *  1. A text that cannot be read gives null, never an error: any client of the same NATS can send anything. */
import { assert } from '../kernel/assert.ts';
import type { Sender } from '../runtime/model/actor.ts';
import type { AskResult, Envelope, Shown } from '../runtime/model/envelope.ts';
import type { Instant } from '../kernel/time.ts';
import type { Carried } from './bus.ts';

/** One copy sent over core NATS. */
export function envelopeText(envelope: Envelope): string {
  assert(Number.isFinite(envelope.deadline), 'what crosses the wire has an end');
  return JSON.stringify(envelope);
}

/** The envelope of such a text; null when it is invalid. */
export function envelopeFrom(text: string): Envelope | null {
  const value = objectFrom(text);
  return value !== null && isEnvelope(value) && Number.isFinite(value.deadline) ? value : null;
}

/** One copy for the mailbox: a hint, which has neither an identity nor a deadline. */
export function hintText(envelope: Envelope): string {
  assert(envelope.identity === undefined, 'the durable road carries hints, whose repeat is harmless');
  const { to, command, data, by, scope } = envelope;
  return JSON.stringify({ to, command, data, by, scope });
}

/** The envelope of such a text, to be executed before `deadline`; null when it is invalid. */
export function hintFrom(text: string, deadline: Instant): Envelope | null {
  const value = objectFrom(text);
  return value !== null && isEnvelope(value) && !('identity' in value) ? { ...value, deadline } : null;
}

/** What an answer to a command carries beside its outcome; a larger object is read by who asked. */
export const shownBytesMax = 8 * 1024;
/** The same of an answer that is only about the object. */
export const readBytesMax = 256 * 1024;

/** What an actor shows goes along as far as it fits, without its view. */
export function resultText(result: AskResult, shows?: Envelope['shows']): string {
  if (!('shown' in result) || result.shown === undefined) return JSON.stringify(result);
  const { shown, ...bare } = result;
  const { view: _built, ...carried } = shown;
  const [text, seen] = [JSON.stringify(bare), JSON.stringify(carried)];
  const bytesMax = shows === 'whole' ? readBytesMax : shownBytesMax;
  return Buffer.byteLength(seen) > bytesMax ? text : `${text.slice(0, -1)},"shown":${seen}}`;
}

/** The answer of such a text; null when it is invalid. Something shown that cannot be read is left out. */
export function resultFrom(text: string): AskResult | null {
  const value = objectFrom(text);
  if (value === null || !isResult(value)) return null;
  if (!('shown' in value) || isShown(value.shown)) return value;
  const { shown: _unreadable, ...bare } = value;
  return bare;
}

/** A notice carries what its actor has committed, as far as it fits; empty: whoever watches reads it. */
export function noticeText({ view: _built, ...carried }: Carried): string {
  const text = JSON.stringify(carried);
  return Buffer.byteLength(text) > shownBytesMax ? '' : text;
}

/** What a notice carries; null: nothing that can be read. */
export function noticeFrom(text: string): Carried | null {
  const value = text === '' ? null : objectFrom(text);
  if (value === null || !isShown(value)) return null;
  const { kind } = value;
  return typeof kind === 'string' ? { ...value, kind } : null;
}

const senders: Readonly<Record<Sender, true>> = {
  merchant: true,
  buyer: true,
  provider: true,
  operator: true,
  system: true,
};

type Fields = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectFrom(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isEnvelope = (value: Fields): value is Fields & Envelope =>
  isObject(value['to']) &&
  typeof value['to']['kind'] === 'string' &&
  typeof value['to']['id'] === 'string' &&
  typeof value['command'] === 'string' &&
  value['data'] !== undefined &&
  typeof value['by'] === 'string' &&
  Object.hasOwn(senders, value['by']) &&
  (value['scope'] === null || typeof value['scope'] === 'string') &&
  (value['identity'] === undefined || isIdentity(value['identity'])) &&
  (value['sole'] === undefined || isSole(value['sole']));

const isSole = (value: unknown): boolean =>
  isObject(value) && typeof value['request'] === 'string' && typeof value['node'] === 'string';

const isIdentity = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['from'] === 'string' &&
  Number.isInteger(value['seq']) &&
  Number.isInteger(value['done']);

const shapes: { readonly [is in AskResult['is']]: (value: Fields) => boolean } = {
  ok: ({ v, detail }) => Number.isInteger(v) && isObject(detail),
  refused: ({ code, detail }) => typeof code === 'string' && isObject(detail),
  not_executed: ({ why, retryAfterMs }) =>
    (why === 'overloaded' || why === 'expired' || why === 'moved') && Number.isFinite(retryAfterMs),
  unknown: () => true,
  internal: () => true,
};

const isShown = <Value>(value: Value): value is Value & Shown =>
  isObject(value) &&
  isObject(value['state']) &&
  isObject(value['meta']) &&
  typeof value['meta']['id'] === 'string' &&
  typeof value['meta']['scope'] === 'string' &&
  Number.isFinite(value['meta']['createdAt']) &&
  Number.isInteger(value['v']) &&
  Number.isInteger(value['schema']);

const isResult = (value: Fields): value is Fields & AskResult => {
  const { is } = value;
  return typeof is === 'string' && Object.hasOwn(shapes, is) && shapes[is as AskResult['is']](value);
};
