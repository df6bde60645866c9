/** A process with a store of its own, for tests that kill it, starve it or refuse it.
 *  `sqlite-child.ts <folder> <what>`: prints each result as one JSON line.
 *  - `hammer`: commits batches for ever and names each id it saw acknowledged.
 *  - `hammer, unapplied`, `hammer, applied`: the same while nothing but the log is written, or the tables after each
 *    commit.
 *  - `until`: keeps three commits under way until one is not applied, then tries what must be refused.
 *  - `until, unapplied`: the same while nothing but the log is written.
 *  - `open`: opens, commits one document, and leaves without closing.
 *  - `close`: opens, commits one document, closes. */
import { collections, docOf, queryOf, save, writeOf } from '../../contract/store-samples.ts';
import { openSqliteStore } from '../../../src/store/store-sqlite.ts';
import type { Store } from '../../../src/store/store.ts';

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function hammer(store: Store): Promise<void> {
  for (let n = 0; ; n++) {
    const docs = Array.from({ length: 20 }, (_, i) => docOf({ id: `pcl_${n}_${i}` }));
    const results = await store.commit(docs.map((doc) => writeOf(doc)));
    say({ acked: docs.filter((_, i) => results[i]?.is === 'applied').map((doc) => doc.id) });
  }
}

/** How many rounds may succeed before the limit must have been met. */
const roundsMax = 300;

async function until(store: Store): Promise<void> {
  let results: readonly string[] = [];
  for (let round = 0; round < roundsMax && results.every((is) => is === 'applied'); round++) {
    const docs = [0, 1, 2].map((n) =>
      docOf({
        id: `pcl_${round * 3 + n}`,
        body: { status: 'open', text: 'x'.repeat(100_000) },
      }),
    );
    results = (await Promise.all(docs.map((doc) => save(store, doc)))).map((result) => result.is);
    say({ acked: docs.filter((_, n) => results[n] === 'applied').map((doc) => doc.id) });
  }
  say({ results });
  say({ afterwards: (await save(store, docOf())).is });
  say({
    read: await store.read('parcel', 'pcl_0').then(
      () => 'answered',
      () => 'refused',
    ),
  });
  say({
    list: await store.listDocs(queryOf({ scope: null })).then(
      () => 'answered',
      () => 'refused',
    ),
  });
  await store.close();
  say({ closed: true });
}

async function one(store: Store): Promise<void> {
  const doc = docOf({ id: 'pcl_one' });
  say({ result: await save(store, doc) });
}

async function main(dataDir: string, what: string): Promise<void> {
  let store: Store;
  try {
    store = await openSqliteStore({
      dataDir,
      collections,
      onFatal: (line) => say({ fatal: line }),
      ...(what.endsWith(', unapplied') ? { applyAfterMs: Infinity } : {}),
      ...(what.endsWith(', applied') ? { applyAfterMs: 0 } : {}),
    });
  } catch (error) {
    say({ refused: String(error) });
    return;
  }
  if (what.startsWith('hammer')) await hammer(store);
  if (what.startsWith('until')) await until(store);
  if (what === 'open' || what === 'close') await one(store);
  if (what === 'close') await store.close();
}

await main(process.argv[2] ?? '', process.argv[3] ?? '');
