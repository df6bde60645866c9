/** When a cluster lets sessions with a key be their own record. */
import { expect, test } from 'vitest';
import { Closing } from '../../../src/compose/closing.ts';
import { allNewMs, openKeyedForm, settledMs, type KeyedFormParts } from '../../../src/compose/keyed-form.ts';
import { keyedSchema } from '../../../actors/checkout-session/older-schemas.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

/** A cluster as one node sees it. */
class Seen {
  readonly scheduler = new VirtualScheduler(0);
  readonly closing = new Closing();
  established: string[] = [];
  refuses: 'always' | 'later' | 'not' = 'not';
  schema = keyedSchema;
  member = true;
  /** What lists find: sessions with derived ids, and records. */
  sessions = 0;
  records = 0;
  alone = false;

  open(): Promise<void> {
    const listDocs = async ({ kind }: { readonly kind: string }) => ({
      items: Array.from({ length: kind === 'checkout_session' ? this.sessions : this.records }, () => ({})),
      total: 0,
    });
    const form = {
      idKey: {
        look: async () =>
          this.established.length > 0 ? { key: Buffer.alloc(32), closes: false, readsRecords: false } : null,
        establish: async (records: string) => void this.established.push(records),
      },
      store: { listDocs },
      cluster: this.alone
        ? null
        : {
            isMember: () => this.member,
            directory: {
              refusesOlder: async () => this.refuses,
              refuseOlder: async () => {
                this.refuses = 'later';
              },
            },
          },
      ownership: { readByAll: () => this.schema },
      scheduler: this.scheduler,
      log: { warn: () => undefined, error: () => undefined },
    };
    return openKeyedForm(form as unknown as KeyedFormParts, this.closing);
  }

  async after(ms: number): Promise<void> {
    await this.scheduler.run(() => false, this.scheduler.now() + ms);
  }
}

test('a single node decides at its first start, by whether its folder has records', async () => {
  for (const records of [0, 1]) {
    const seen = Object.assign(new Seen(), { alone: true, records });
    await seen.open();
    expect(seen.established).toEqual([records === 0 ? 'none' : 'there']);
    await seen.open();
    expect(seen.established.length).toBe(1);
  }
});

test('a cluster that no older build has ever served decides at its first start', async () => {
  const seen = Object.assign(new Seen(), { refuses: 'always' as const });
  await seen.open();
  expect(seen.established).toEqual(['none']);
});

test('another one refuses older builds after a minute without their nodes, and decides 15 s later', async () => {
  const seen = new Seen();
  await seen.open();
  await seen.after(allNewMs - seconds(2));
  expect([seen.refuses, seen.established]).toEqual(['not', []]);
  await seen.after(seconds(4));
  expect([seen.refuses, seen.established]).toEqual(['later', []]);
  await seen.after(settledMs + seconds(2));
  expect(seen.established).toEqual(['begin']);
});

test('a node of an older build, or a doubt about who lives, starts the minute again', async () => {
  const seen = new Seen();
  await seen.open();
  await seen.after(allNewMs - seconds(5));
  seen.schema = keyedSchema - 1;
  await seen.after(seconds(2));
  seen.schema = keyedSchema;
  await seen.after(allNewMs - seconds(5));
  seen.member = false;
  await seen.after(seconds(2));
  seen.member = true;
  await seen.after(allNewMs - seconds(5));
  expect([seen.refuses, seen.established]).toEqual(['not', []]);
  // one that slips in after older builds were refused
  await seen.after(seconds(10));
  expect(seen.refuses).toBe('later');
  seen.schema = keyedSchema - 1;
  await seen.after(seconds(2));
  seen.schema = keyedSchema;
  await seen.after(allNewMs);
  expect(seen.established).toEqual([]);
  await seen.after(settledMs + seconds(4));
  expect(seen.established).toEqual(['begin']);
});

test('a node that stops does not decide any more', async () => {
  const seen = new Seen();
  await seen.open();
  await seen.closing.all();
  await seen.after(allNewMs * 2 + settledMs);
  expect([seen.refuses, seen.established]).toEqual(['not', []]);
});

test('a store with sessions of a lost key is not started', async () => {
  const seen = Object.assign(new Seen(), { sessions: 1 });
  await expect(seen.open()).rejects.toThrow('the key for ids of checkouts is missing');
});
