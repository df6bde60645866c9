/** Local asks: a command to an actor of this process and its committed outcome, without HTTP. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'libsql';
import { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import type { Order } from '../actors/checkout-session/order.ts';
import { mintId } from '../src/kernel/id.ts';
import { start, type Galla } from '../src/main.ts';
import { scopeOf } from '../src/runtime/model/address.ts';
import { closedLoop, type Run } from './closed-loop.ts';
import { quantile, type Bench, type Room, type Row } from './support.ts';
import { onFatal } from '../test/support/alone.ts';

const msEach = 2000;
const rounds = 3;
const atOnce = 64;

export const asking: Bench = {
  title: 'Local ask: a command to a checkout session in this process',
  setup:
    `in one process, ${atOnce} at once, ${rounds} rounds of ${msEach / 1000} s in turn, medians; the real store ` +
    '(SQLite, WAL, synchronous=FULL). The rival inserts the same document one by one into its own file',
  bound:
    'an ask that changes nothing needs only CPU: mailbox, state table, reply. An ask that changes something ' +
    'waits for its group commit',
  async run(room) {
    const galla = await start({
      onFatal,
      env: {
        PORT: '0',
        GALLA_DATA_DIR: join(room.folder, 'asking'),
        GALLA_RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
      },
    });
    try {
      const ended = await endedSession(galla);
      const insert = rival(room);
      const arms: readonly { name: string; what: string; work: () => Promise<void> }[] = [
        { name: 'Galla', what: 'ask, nothing changes', work: () => expire(galla, ended) },
        {
          name: 'Galla',
          what: 'ask, durable (opens a session)',
          work: async () => void (await opened(galla)),
        },
        {
          name: 'libsql, one insert each',
          what: 'ask, durable (opens a session)',
          work: async () => insert(),
        },
      ];
      const runs = arms.map((): Run[] => []);
      for (let round = 0; round <= rounds; round++) {
        for (const [at, { work }] of arms.entries()) {
          const one = await closedLoop(work, { atOnce, forMs: msEach });
          if (round > 0) runs[at]?.push(one);
        }
      }
      return rowsOf(arms, runs);
    } finally {
      await galla.stop();
    }
  },
};

function rowsOf(
  arms: readonly { name: string; what: string }[],
  runs: readonly (readonly Run[])[],
): readonly Row[] {
  const middle = (each: readonly number[]): number => quantile(each, 0.5);
  const perSecond = runs.map((each) => middle(each.map((run) => run.perSecond)));
  return arms.map(({ name, what }, at): Row => ({
    what,
    arm: name,
    value: perSecond[at] ?? Number.NaN,
    unit: '/s',
    p50Ms: middle((runs[at] ?? []).map((run) => quantile(run.latenciesMs, 0.5))),
    p99Ms: middle((runs[at] ?? []).map((run) => quantile(run.latenciesMs, 0.99))),
    ...(name === 'Galla' ? {} : { ratio: (perSecond[at - 1] ?? Number.NaN) / (perSecond[at] ?? Number.NaN) }),
  }));
}

export const order: Order = {
  amount: 125_050,
  currency: 'NPR',
  description: 'Order 1001',
  returnUrl: 'https://shop.example/return',
  cancelUrl: null,
  collectAddress: false,
  customer: null,
  metadata: {},
  flow: 'hosted',
  preselected: null,
  referenceId: null,
  source: 'checkout',
  checkoutUrl: null,
};

const scope = scopeOf(mintId('prj'), 'sandbox');
const merchant = { by: 'merchant', scope } as const;

/** Opens a session of a project of its own; returns its id. */
export async function opened({ node }: Galla): Promise<string> {
  const id = mintId('cs', scope);
  const result = await node.client.ask(checkoutSessionAt(id), 'open', { order, lifeMs: 1_800_000 }, merchant);
  if (result.is !== 'ok') throw new Error(`open answered ${JSON.stringify(result)}`);
  return id;
}

async function endedSession(galla: Galla): Promise<string> {
  const id = await opened(galla);
  await expire(galla, id);
  return id;
}

/** Of a session that has ended it changes nothing. */
export async function expire({ node }: Galla, id: string): Promise<void> {
  const result = await node.client.ask(checkoutSessionAt(id), 'expire', {}, merchant);
  if (result.is !== 'ok') throw new Error(`expire answered ${JSON.stringify(result)}`);
}

function rival(room: Room): () => void {
  const database = new Database(join(room.folder, 'asks.db'));
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  database.exec('CREATE TABLE docs(id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO docs(id, body) VALUES (?, ?)');
  return () =>
    void insert.run(
      randomBytes(12).toString('hex'),
      JSON.stringify({ ...order, status: 'pending', at: Date.now() }),
    );
}
