/** Sends attacks to a running service, each on a connection of its own, and judges what comes back.
 *  1. An answer comes within a second, is the expected one and holds nothing of the inside: no stack, no path of a file.
 *  2. What the parser refuses bears no request id, and nothing that was sent after it is answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { errors } from '../../src/errors.ts';
import { Body } from '../../src/cli/demo/api.ts';
import { Raw, type Exchanged, type RawAnswer } from '../support/raw.ts';
import type { Attack, Bytes, Expected, Piece, SlowAttack, Stage } from './attack.ts';

export interface Target {
  readonly url: URL;
  readonly stage: Stage;
}

const answeredWithinMs = 1000;
/** A head that the parser takes for unfinished ends with its connection. */
const silentMsMax = 14_500;
/** A busy machine may be late once. */
const triesMax = 3;
const limitedTriesMax = 40;
/** Connections at once. */
const lanes = 8;

/** What was wrong, one line for each attack that did not go as expected. Those that the parser refuses may take as
 *  long as slow senders: `replaySlow` has them. */
export async function replayAll(target: Target, attacks: readonly Attack[]): Promise<readonly string[]> {
  const queue = attacks.filter(({ expected }) => expected.is !== 'bare').values();
  const lane = async (): Promise<readonly string[]> => {
    const wrong: string[] = [];
    for (const attack of queue) wrong.push(...(await problemOf(target, attack)));
    return wrong;
  };
  return (await Promise.all(Array.from({ length: lanes }, lane))).flat();
}

/** Senders that are slow, and requests that the parser refuses, some of them in silence: all at once, as they only
 *  wait. */
export async function replaySlow(
  target: Target,
  slow: readonly SlowAttack[],
  attacks: readonly Attack[],
): Promise<readonly string[]> {
  const refused = attacks.filter(({ expected }) => expected.is === 'bare');
  const all = [
    ...slow.map((attack) => slowProblemOf(target, attack)),
    ...refused.map((attack) => problemOf(target, attack)),
  ];
  return (await Promise.all(all)).flat();
}

async function slowProblemOf(
  { url, stage }: Target,
  { name, send: bytes, closedWithinMs }: SlowAttack,
): Promise<readonly string[]> {
  const raw = await Raw.at(url);
  const from = performance.now();
  void sendAll(raw, bytes(stage));
  const { text, closed } = await raw.first(closedWithinMs);
  raw.leave();
  if (closed && text === '') return [];
  const took = Math.round(performance.now() - from);
  const shown = JSON.stringify(text.slice(0, 200));
  return [`${name}: ${closed ? 'closed' : 'still open'} after ${took} ms, ${shown}`];
}

async function problemOf({ url, stage }: Target, attack: Attack): Promise<readonly string[]> {
  const { name, expected } = attack;
  let problem: string | null = null;
  let limited = 0;
  for (let tries = 0; tries < triesMax; tries++) {
    const { heard, tookMs } = await send(url, attack.send(stage), expected);
    const [answer] = finalOf(heard);
    if (answer?.status === 429 && limited++ < limitedTriesMax) {
      tries--;
      await pause(Number(answer.headers['retry-after'] ?? 1) * 1000);
      continue;
    }
    problem = judged(expected, heard);
    const late = expected.is !== 'bare' && tookMs > answeredWithinMs;
    if (problem !== null || !late) break;
    problem = `answered after ${Math.round(tookMs)} ms`;
  }
  return problem === null ? [] : [`${name}: ${problem}`];
}

async function send(
  url: URL,
  bytes: Bytes | readonly Piece[],
  expected: Expected,
): Promise<{ readonly heard: Exchanged; readonly tookMs: number }> {
  const raw = await Raw.at(url);
  const from = performance.now();
  await sendAll(raw, bytes);
  const heads = expected.is === 'head';
  // long enough to tell late from never
  const heard = await raw.first(expected.is === 'bare' ? silentMsMax : 10 * answeredWithinMs, heads);
  const tookMs = performance.now() - from;
  if (expected.is !== 'bare') {
    raw.leave();
    return { heard, tookMs };
  }
  // nothing after it is answered
  const end = heard.closed ? heard : await raw.end().catch(() => heard);
  raw.leave();
  return { heard: end, tookMs };
}

/** Without `100 Continue`. */
const finalOf = ({ answers }: Exchanged): readonly RawAnswer[] =>
  answers.filter(({ status }) => status >= 200);

async function sendAll(raw: Raw, bytes: Bytes | readonly Piece[]): Promise<void> {
  if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) {
    raw.send(bytes);
    return;
  }
  for (const piece of bytes) {
    raw.send(piece.bytes);
    await pause(piece.pauseMs);
  }
}

const insides = /\n\s+at |node_modules|\.[cm]?[jt]s:\d|[A-Z]\w*Error\b|\/(?:src|actors|gateways|dist)\//;

function judged(expected: Expected, heard: Exchanged): string | null {
  const { text, closed } = heard;
  const answers = finalOf(heard);
  const shown = JSON.stringify(text.slice(0, 400));
  if (insides.test(text)) return `shows the inside: ${shown}`;
  if (expected.is === 'bare') {
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const isBare =
      !/x-request-id/i.test(text) && statuses.every((status) => expected.statuses.includes(status));
    return closed && isBare && statuses.length <= 1 ? null : shown;
  }
  const [answer] = answers;
  if (answer === undefined) return `no answer: ${shown}`;
  return answers.length > 1 ? `${answers.length} answers: ${shown}` : answerProblem(expected, answer);
}

function answerProblem(expected: Exclude<Expected, { is: 'bare' }>, answer: RawAnswer): string | null {
  const { status, headers, body } = answer;
  const shown = `${status} ${body.slice(0, 300)}`;
  if (!/^req_[0-9a-hjkmnp-tv-z]{24}$/.test(headers['x-request-id'] ?? '')) return `no request id: ${shown}`;
  switch (expected.is) {
    case 'cut':
      return shown;
    case 'head':
    case 'fine':
      return status === expected.status ? null : shown;
    case 'page': {
      const isPage =
        (headers['content-type'] ?? '').startsWith('text/html') && /^<!doctype html>/i.test(body);
      return status === expected.status && isPage ? null : shown;
    }
    case 'error':
      return errorProblem(expected, answer) === null
        ? null
        : `${errorProblem(expected, answer) ?? ''}: ${shown}`;
  }
}

function errorProblem(
  { code, fields, either }: Extract<Expected, { is: 'error' }>,
  { status, headers, body }: RawAnswer,
): string | null {
  const { status: wanted, type } = errors[code];
  if (status !== wanted) return `not ${wanted}`;
  if (headers['content-type']?.startsWith('application/json') !== true) return 'not JSON';
  if (headers['cache-control'] !== 'no-store') return 'may be cached';
  const said = new Body(JSON.parse(body));
  if (said.at('error.code') !== code) return `not ${code}`;
  if (said.at('error.type') !== type) return `not of type ${type}`;
  if (said.at('error.request_id') !== headers['x-request-id']) return 'another request id';
  if (fields === undefined && either === undefined) return null;
  const listed = said.list('error.errors').map((one) => `${one.text('param')} ${one.text('code')}`);
  if (fields === undefined)
    return listed.length === 1 && either?.includes(listed[0] ?? '') === true
      ? null
      : `not ${either?.join(' or ') ?? ''}`;
  return listed.join() === fields.join() ? null : `not ${fields.join()}`;
}
