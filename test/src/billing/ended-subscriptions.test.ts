/** Subscriptions that ended under an older version: which are asked to arm their timer at the start of a node, and that
 *  a file of such a version is mended. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { armAll, type EndedParts } from '../../../src/billing/ended-subscriptions.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import { Api } from '../../../src/cli/demo/api.ts';
import { Billing, threeSeven } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import { Merchant } from '../../support/merchant.ts';

const daySeconds = 86_400;
const projects = [{ id: 'prj_1' }, { id: 'prj_2' }];

/** `rows`: the open invoices of `prj_1` in the sandbox, the newest first. */
function partsWith(rows: readonly { readonly created: number; readonly body: object }[], is = 'ok') {
  const asked: string[] = [];
  const parts = {
    store: {
      listDocs: () => Promise.resolve({ items: projects, total: projects.length }),
      listRows: ({
        scope,
        range = [],
        limit,
      }: {
        scope: string;
        range?: { to?: number }[];
        limit: number;
      }) => {
        const to = range[0]?.to ?? Infinity;
        const all = scope === 'prj_1:sandbox' ? rows.filter(({ created }) => created < to) : [];
        return Promise.resolve({ items: all.slice(0, limit), total: all.length });
      },
    },
    client: {
      ask: (to: { id: string }, command: string, _data: object, { scope }: { scope: string }) => {
        asked.push(`${scope} ${to.id} ${command}`);
        return Promise.resolve({ is });
      },
    },
    scheduler: realScheduler,
    log: { warn: () => undefined },
  };
  return { asked, parts: parts as unknown as EndedParts };
}

test('each subscription with an open invoice of an older version is asked once, across pages', async () => {
  const rows = Array.from({ length: 250 }, (_, at) => ({
    created: 1000 - at,
    body: { subscriptionId: `sub_${Math.floor(at / 2)}`, ...(at < 200 ? { appliesFrom: null } : {}) },
  }));
  const { asked, parts } = partsWith(rows);
  await armAll(parts);
  expect(new Set(asked).size).toBe(25);
  expect(asked[0]).toBe('prj_1:sandbox sub_100 armAfterEnd');
});

test('it fails, to be tried again, when a subscription is not reached', async () => {
  const { parts } = partsWith([{ created: 1, body: { subscriptionId: 'sub_1' } }], 'unknown');
  await expect(armAll(parts)).rejects.toThrow('sub_1 was not reached');
});

test('in a folder of an older version such an invoice becomes past due, with its event', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-ended-'));
  let galla: Galla | null = await startGalla({ GALLA_DATA_DIR: dataDir });
  try {
    const { projectId } = await galla.merchant();
    const secret = await galla.key(projectId, { kind: 'secret', mode: 'sandbox' });
    const billingAt = ({ url, nobody }: Galla): Billing =>
      new Billing(new Merchant(projectId, new Api(url, secret), nobody));
    const before = billingAt(galla);
    const made = await before.subscribe(await before.plan({ ...threeSeven, gracePeriodDays: 40 }));
    const id = made.text('id');
    const invoiceId = await eventually(
      async () => {
        const invoice = (await before.subscription(id)).at('latestInvoice.id');
        return typeof invoice === 'string' ? invoice : null;
      },
      () => 'an invoice',
    );
    await before.act(id, 'cancel', { atPeriodEnd: true });
    await before.advance(32 * daySeconds);
    expect((await before.subscription(id)).at('status')).toBe('cancelled');
    expect((await before.invoice(invoiceId)).at('status')).toBe('open');
    await galla.stop();
    galla = null;
    asAnOlderBuild(dataDir, id, invoiceId);

    galla = await startGalla({ GALLA_DATA_DIR: dataDir });
    const after = billingAt(galla);
    const clock = async (): Promise<unknown> => (await after.merchant.clock()).at('pendingTimers');
    const unarmed = await clock();
    await eventually(
      async () => ((await clock()) === unarmed ? null : true),
      () => 'the timer to be armed',
    );
    await after.advance(15 * daySeconds);
    expect((await after.invoice(invoiceId)).at('status')).toBe('past_due');
    expect(await after.merchant.events('invoice.past_due', invoiceId)).toHaveLength(1);
  } finally {
    await galla?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);

/** The stored forms of that build: no timer, and no `appliesFrom` in the row of the invoice. */
function asAnOlderBuild(dataDir: string, subscriptionId: string, invoiceId: string): void {
  const file = new Database(join(dataDir, 'galla.db'));
  try {
    const jsonOf = (table: string, id: string): { [field: string]: unknown } => {
      const row = file.prepare(`SELECT json FROM ${table} WHERE id = ?`).get(id) as { json: string };
      return JSON.parse(row.json) as { [field: string]: unknown };
    };
    const doc = { ...jsonOf('docs', subscriptionId), timers: [], wake: null };
    file
      .prepare('UPDATE docs SET wake = NULL, timers = 0, json = ? WHERE id = ?')
      .run(JSON.stringify(doc), subscriptionId);
    const row = jsonOf('view_rows', invoiceId);
    const { appliesFrom: _from, appliesTo: _to, ...body } = row['body'] as { [field: string]: unknown };
    file
      .prepare('UPDATE view_rows SET json = ? WHERE id = ?')
      .run(JSON.stringify({ ...row, body }), invoiceId);
  } finally {
    file.close();
  }
}
