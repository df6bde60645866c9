import { describe, expect, test } from 'vitest';
import { CommittedSet, leftToStoreMs, scopesMax } from '../../../src/outbound/committed-set.ts';
import { RecentTexts } from '../../../src/outbound/webhook-reads.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Doc } from '../../../src/store/store.ts';
import { docOf } from '../../contract/store-samples.ts';

const scope: Scope = 'prj_a:live';
const at = (id: string, v: number, open = true, where: Scope = scope): Doc =>
  docOf({ kind: 'x', id, scope: where, v, body: { open } });

function setOf(itemsMax = 10) {
  const loads: { readonly scope: Scope; readonly done: (docs: readonly Doc[] | null) => void }[] = [];
  const refusals: ((thrown: Error) => void)[] = [];
  let now = 0;
  const set = new CommittedSet<number>({
    load: (asked) =>
      new Promise((resolve, reject) => {
        loads.push({ scope: asked, done: resolve });
        refusals.push(reject);
      }),
    itemOf: ({ v, body }) => (body?.['open'] === true ? v : null),
    itemsMax,
    scheduler: { steady: () => now },
  });
  return { set, loads, refusals, wait: (ms: number) => void (now += ms) };
}

describe('what the store has and what is committed meanwhile', () => {
  test('a document that is committed while the store is read is not missed', async () => {
    const { set, loads } = setOf();
    const asked = set.of(scope);
    set.observe(at('new', 1));
    loads[0]?.done([at('old', 3)]);
    expect(Object.fromEntries((await asked) ?? [])).toEqual({ new: 1, old: 3 });
  });

  test('an older copy of the store does not bring back what has ended or changed meanwhile', async () => {
    const { set, loads } = setOf();
    const asked = set.of(scope);
    set.observe(at('ended', 2, false));
    set.observe(at('changed', 5));
    loads[0]?.done([at('ended', 1), at('changed', 4), at('newer', 7)]);
    expect(Object.fromEntries((await asked) ?? [])).toEqual({ changed: 5, newer: 7 });
  });

  test('later commits are followed without another read', async () => {
    const { set, loads } = setOf();
    const asked = set.of(scope);
    loads[0]?.done([at('a', 1)]);
    await asked;
    set.observe(at('b', 1));
    set.observe(at('a', 2, false));
    expect(Object.fromEntries((await set.of(scope)) ?? [])).toEqual({ b: 1 });
    expect(loads).toHaveLength(1);
  });
});

describe('bounds', () => {
  test.each([
    ['the store has too many', ({ loads }: ReturnType<typeof setOf>) => loads[0]?.done(null)],
    [
      'the store does not answer',
      ({ refusals }: ReturnType<typeof setOf>) => refusals[0]?.(new Error('away')),
    ],
    [
      'there are too many together',
      ({ set, loads }: ReturnType<typeof setOf>) => {
        set.observe(at('c', 1));
        loads[0]?.done([at('a', 1), at('b', 1)]);
      },
    ],
  ])('when %s, the store is read for a while', async (_when, happen) => {
    const made = setOf(2);
    const asked = made.set.of(scope);
    happen(made);
    expect(await asked).toBeNull();
    made.set.observe(at('d', 1));
    expect(await made.set.of(scope)).toBeNull();
    made.wait(leftToStoreMs);
    const again = made.set.of(scope);
    made.loads[1]?.done([at('a', 1)]);
    expect(Object.fromEntries((await again) ?? [])).toEqual({ a: 1 });
  });

  test('a scope that is dropped while it is read is not answered with a part', async () => {
    const { set, loads } = setOf();
    const asked = set.of(scope);
    for (let many = 0; many < scopesMax; many++) void set.of(`prj_${many}:live`);
    set.observe(at('missed', 1));
    loads[0]?.done([at('a', 1)]);
    expect(await asked).toBeNull();
    const again = set.of(scope);
    loads.at(-1)?.done([at('a', 1), at('missed', 1)]);
    expect((await again)?.size).toBe(2);
  });

  test('texts are kept up to a number of characters, the newest ones', () => {
    const texts = new RecentTexts(10);
    for (const key of ['a', 'b', 'c']) texts.add(key, `${key}---`);
    texts.add('long', 'x'.repeat(11));
    expect(['a', 'b', 'c', 'long'].map((key) => texts.get(key))).toEqual([
      undefined,
      'b---',
      'c---',
      undefined,
    ]);
  });
});
