/** Events at a steady rate, made by one process, and the instant at which each of them could be sent. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** An event each of the streams of these ids. */
export interface Steady {
  readonly ids: readonly string[];
  readonly perSecond: number;
}

/** Milliseconds on the one clock that all processes of this machine share. */
export const sharedMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export interface Maker {
  /** Where its streams are; '' when they are elsewhere. */
  readonly streams: string;
  /** Makes one; resolves to the instant it was there. */
  make(id: string): Promise<number>;
  /** So many streams more, like that of this id; their ids. */
  copies?(id: string, count: number): Promise<readonly string[]>;
}

/** A door of its own for the bench: GET / answers where the streams are, POST / of a Steady the instants in order,
 *  POST /copies of an id and a number ids. */
export function serveMaker(maker: Maker): void {
  createServer((request, response) => {
    answer(maker, request).then(
      (told) => response.end(JSON.stringify(told)),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  }).listen(0, '127.0.0.1', function said(this: { address(): unknown }) {
    process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
  });
}

async function answer(maker: Maker, request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET') return maker.streams;
  let text = '';
  for await (const chunk of request) text += String(chunk);
  if (request.url === '/copies') {
    const { id, count } = JSON.parse(text) as { readonly id: string; readonly count: number };
    return maker.copies?.(id, count) ?? [];
  }
  const { ids, perSecond } = JSON.parse(text) as Steady;
  const from = performance.now();
  const made: Promise<number>[] = [];
  for (const [at, id] of ids.entries()) {
    const early = from + (at * 1000) / perSecond - performance.now();
    if (early > 0) await pause(early);
    made.push(maker.make(id));
  }
  return Promise.all(made);
}
