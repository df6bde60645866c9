/** One process of the remote bench: a node of the service that sends the given asks for the given time.
 *  The raw rival asks from this very process. It is controlled over HTTP, so that the bench can be another process. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'nats';
import { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import { envelopeText } from '../src/bus/codec.ts';
import { mintId } from '../src/kernel/id.ts';
import { start, type Galla } from '../src/main.ts';
import type { Json } from '../src/runtime/model/actor.ts';
import type { Scope } from '../src/runtime/model/address.ts';
import type { AskResult, Envelope } from '../src/runtime/model/envelope.ts';
import { order } from './asking.ts';
import { closedLoop } from './closed-loop.ts';
import { rawSubjects } from './rivals/echoed.ts';
import { quantile } from './support.ts';
import { onFatal } from '../test/support/alone.ts';

/** `make`: opens a session and ends it, so that another end changes nothing; its id is answered. `expire`: ends ended
 *  sessions. `open`: opens new ones. `raw` and `rawStored`: sends the text of either to who echoes. */
export interface Told {
  readonly what: 'make' | 'expire' | 'open' | 'raw' | 'rawStored';
  readonly scope: Scope;
  readonly ids: readonly string[];
  readonly atOnce: number;
  readonly forMs: number;
}

export interface Answered {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many were answered. */
  readonly count: number;
  readonly id: string;
}

const lifeMs = 1_800_000;
const waitMs = 10_000;
const commandBytesMax = 64 * 1024;

const galla = await start({ onFatal, env: process.env });
// a connection of its own: the raw rival shares nothing with ours but the process
const raw = await connect({ servers: process.env['NATS_URL'] ?? '' });

createServer((request, response) => {
  void bodyOf(request)
    .then((text) => told(galla, JSON.parse(text) as Told))
    .then((answered) => response.end(JSON.stringify(answered)))
    .catch((thrown: unknown) => response.writeHead(500).end(String(thrown)));
}).listen(0, '127.0.0.1', function said(this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > commandBytesMax) throw new Error('too long a command');
  }
  return text;
}

async function told({ node }: Galla, { what, scope, ids, atOnce, forMs }: Told): Promise<Answered> {
  const merchant = { by: 'merchant', scope } as const;
  let turn = 0;
  const nextId = (): string => ids[turn++ % ids.length] ?? '';
  const open = (id: string): Promise<AskResult> =>
    node.client.ask(checkoutSessionAt(id), 'open', { order, lifeMs }, merchant);
  const expire = (id: string): Promise<AskResult> =>
    node.client.ask(checkoutSessionAt(id), 'expire', {}, merchant);
  const envelope = (id: string, command: 'open' | 'expire', data: unknown): Envelope => ({
    to: checkoutSessionAt(id),
    command,
    data: data as Json,
    ...merchant,
    deadline: Date.now() + waitMs,
  });
  const sent = async (subject: string, text: string): Promise<void> => {
    const answer = await raw.request(subject, text, { timeout: waitMs });
    if (answer.string() === '') throw new Error('an empty echo');
  };
  const work = {
    expire: async () => fine(await expire(nextId())),
    open: () => admitted(() => open(mintId('cs'))),
    raw: () => sent(rawSubjects.plain + nextId(), envelopeText(envelope(nextId(), 'expire', {}))),
    rawStored: () =>
      sent(rawSubjects.stored, envelopeText(envelope(mintId('cs'), 'open', { order, lifeMs }))),
  };
  if (what === 'make') {
    const id = mintId('cs');
    fine(await open(id));
    fine(await expire(id));
    return { perSecond: 0, p50Ms: 0, p99Ms: 0, count: 2, id };
  }
  const { perSecond, latenciesMs } = await closedLoop(work[what], { atOnce, forMs });
  return {
    perSecond,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    count: latenciesMs.length,
    id: '',
  };
}

const admittedMsMax = 30_000;

/** A rejected caller retries after the given time; its wait counts. */
async function admitted(ask: () => Promise<AskResult>): Promise<void> {
  for (const until = performance.now() + admittedMsMax; ;) {
    const result = await ask();
    if (result.is !== 'not_executed' || performance.now() > until) return fine(result);
    await pause(result.retryAfterMs);
  }
}

function fine(result: AskResult): void {
  if (result.is !== 'ok') throw new Error(`an ask came to ${JSON.stringify(result)}`);
}
