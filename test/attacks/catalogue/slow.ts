/** Senders that do not finish: each is closed within the service's limits, without an answer. */
import { bearer, lines, type Piece, type SlowAttack } from '../attack.ts';

/** 10 s for a head, 10 s without a byte of a body; at most 4 s late. */
const closedWithinMs = 14_500;
const slowly = (name: string, send: SlowAttack['send']): SlowAttack => ({
  name: `slow: ${name}`,
  send,
  expected: { is: 'cut' },
  closedWithinMs,
});

const head = (secret: string, ...more: readonly string[]): string =>
  lines(
    'POST /v1/checkout HTTP/1.1',
    'Host: x',
    bearer(secret),
    'Content-Type: application/json',
    ...more,
    '',
    '',
  );

export const slow: readonly SlowAttack[] = [
  slowly('nothing at all', () => []),
  slowly('a letter', () => 'G'),
  slowly('a head that does not end', () => 'GET /health HTTP/1.1\r\nHost: x\r\n'),
  slowly('a head, a letter a second', () =>
    Array.from({ length: 20 }, (_, at): Piece => ({ bytes: at === 0 ? 'GET /' : 'a', pauseMs: 1000 })),
  ),
  slowly('control bytes in a header', () => 'GET /health HTTP/1.1\r\nHost: x\r\nA: \x01\x02\r\n\r\n'),
  slowly('a body that never comes', ({ secret }) => head(secret, 'Content-Length: 100')),
  slowly('half a body', ({ secret }) => `${head(secret, 'Content-Length: 100')}{"amount":`),
  slowly('half a chunk', ({ secret }) => `${head(secret, 'Transfer-Encoding: chunked')}ff\r\n{"amount":`),
  slowly('chunks that never end', ({ secret }) => `${head(secret, 'Transfer-Encoding: chunked')}2\r\n{}\r\n`),
];
