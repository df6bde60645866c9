/** Requests whose bodies two readers could see end in different places, or that two readers could take for requests to
 *  different hosts, and what a server says to them. */
import { connect } from 'node:net';
import { head, Raw } from './raw.ts';

/** A whole request to hide in the body of another one. Its answer must never be seen. */
export const hidden = head('GET /health');

const length = hidden.length;
const chunkedToo = ['Transfer-Encoding: chunked'];

/** What is refused, as header lines. */
export const broken: Readonly<Record<string, readonly string[]>> = {
  'two lengths, the first short': ['Content-Length: 0', `Content-Length: ${length}`],
  'two lengths, the first long': [`Content-Length: ${length}`, 'Content-Length: 0'],
  'two equal lengths': [`Content-Length: ${length}`, `content-length: ${length}`],
  'lengths with another header between': ['Content-Length: 0', 'X: y', `CONTENT-LENGTH: ${length}`],
  'an empty length': ['Content-Length:'],
  'a length of spaces': ['Content-Length:  \t '],
  'an empty length before one': ['Content-Length:', `Content-Length: ${length}`],
  'an empty length after one': ['Content-Length: 0', 'Content-Length:'],
  'an empty coding': ['Transfer-Encoding:'],
  'an empty coding before one': ['Transfer-Encoding:', ...chunkedToo],
  'an empty coding before a length': ['Transfer-Encoding:', `Content-Length: ${length}`],
  'an empty length before a coding': ['Content-Length:', ...chunkedToo],
  'a length and a coding': [`Content-Length: ${length}`, ...chunkedToo],
  'a coding and a length': [...chunkedToo, `Content-Length: ${length}`],
  'no length and a coding': ['Content-Length: 0', ...chunkedToo],
  'two codings': [...chunkedToo, ...chunkedToo],
  'chunks twice': ['Transfer-Encoding: chunked, chunked'],
  'a coding nobody agreed on': ['Transfer-Encoding: gzip'],
  'a coding on top of chunks': ['Transfer-Encoding: gzip, chunked'],
  'the coding that is none': ['Transfer-Encoding: identity'],
  'a coding with a parameter': ['Transfer-Encoding: chunked;q=1'],
  'a coding in quotes': ['Transfer-Encoding: "chunked"'],
  'a length with a sign': [`Content-Length: +${length}`],
  'a negative length': ['Content-Length: -3'],
  'a list of lengths': [`Content-Length: ${length}, ${length}`],
  'a length in hex': ['Content-Length: 0x5'],
  'a length with a fraction': ['Content-Length: 5.0'],
  'a length with an exponent': ['Content-Length: 1e1'],
  'a length with a space within': ['Content-Length: 3 0'],
  'a length in words': ['Content-Length: three'],
  'a length of 2^64': ['Content-Length: 18446744073709551616'],
  'a length beyond counting': [`Content-Length: ${'9'.repeat(400)}`],
  'a second host': ['Host: shop.example'],
  'the same host twice': ['host: localhost'],
  'an empty second host': ['Host:'],
};

/** What the parser does not take for a header, or for a request at all: silence or a 400. */
export const unreadable: Readonly<Record<string, readonly string[]>> = {
  'a coding with a space before its colon': ['Transfer-Encoding : chunked'],
  'a length with a space before its colon': [`Content-Length : ${length}`],
  'a length on a folded line': ['X: y', ` Content-Length: ${length}`],
  'the value of a length on a folded line': ['Content-Length:', ` ${length}`],
  'a coding on a folded line': ['Transfer-Encoding:', '\tchunked'],
  'a length after a bare line feed': [`X: y\nContent-Length: ${length}`],
  'a length after a bare carriage return': [`X: y\rContent-Length: ${length}`],
  'a coding after a vertical tab': ['Transfer-Encoding: \vchunked'],
  'a length before a zero byte': ['Content-Length: 0\0'],
};

/** What came back when nothing more was to come. */
export interface Heard {
  /** One for each status line. */
  readonly statuses: readonly number[];
  readonly text: string;
  readonly closed: boolean;
}

const heard = (text: string, closed: boolean): Heard => ({
  statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
  text,
  closed,
});

/** Sends `pieces` a moment apart, and listens to the end of the connection. */
export async function hear(port: number, ...pieces: readonly string[]): Promise<Heard> {
  const raw = await Raw.open(port);
  for (const [at, piece] of pieces.entries()) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    raw.send(Buffer.from(piece, 'latin1'));
  }
  const { text, closed } = await raw.end();
  return heard(text, closed);
}

/** The same for `ms` at most, where silence is an answer; no longer than until there are `count` answers. */
export function hearFor(ms: number, port: number, bytes: string, count = Infinity): Promise<Heard> {
  return new Promise((resolve) => {
    let text = '';
    let closed = true;
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(Buffer.from(bytes, 'latin1')));
    const leave = (): void => {
      closed = socket.destroyed;
      socket.destroy();
    };
    const timer = setTimeout(leave, ms);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (heard(text, false).statuses.length >= count) leave();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(heard(text, closed));
    });
  });
}

/** Why this is not what such a request is to be answered; null: it is. */
export async function twoAnswers(port: number, line: string, headers: readonly string[]): Promise<unknown> {
  const request = head(line, headers);
  const alone = await hear(port, request);
  const bare = alone.statuses.join() === '400' && !/x-request-id/i.test(alone.text);
  const together = await hear(port, request + hidden);
  const after = await hear(port, request, hidden);
  const atMostOne = [together, after].every(
    ({ statuses }) => statuses.length === 0 || statuses.join() === '400',
  );
  return bare && atMostOne ? null : { line, headers, alone, together, after };
}
