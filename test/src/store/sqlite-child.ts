/** A process with a store of its own, for tests that kill it, starve it or refuse it.
 *  `sqlite-child.ts <folder> <what>`: says on its output, one JSON line each, what it was told.
 *  - `hammer`: commits batches for ever and names each id it saw acknowledged.
 *  - `until`: commits larger and larger documents until one is not applied, then tries what must be refused.
 *  - `open`: opens, commits one document, and leaves without closing.
 *  - `close`: opens, commits one document, closes. */
import { collections, docOf, queryOf, writeOf } from '../../contract/store-samples.ts';
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

/** How many commits may succeed before the limit must have been met. */
const commitsMax = 1000;

async function until(store: Store): Promise<void> {
  for (let n = 0; n < commitsMax; n++) {
    const doc = docOf({ id: `pcl_${n}`, body: { status: 'open', text: 'x'.repeat(100_000) } });
    const [result] = await store.commit([writeOf(doc)]);
    if (result?.is !== 'applied') {
      say({ result });
      break;
    }
    say({ acked: [doc.id] });
  }
  const [afterwards] = await store.commit([writeOf(docOf())]);
  say({ afterwards: afterwards?.is });
  say({ read: await store.read('parcel', 'pcl_0').then(() => 'answered', () => 'refused') });
  say({ list: await store.listDocs(queryOf({ scope: null })).then(() => 'answered', () => 'refused') });
  await store.close();
  say({ closed: true });
}

async function one(store: Store): Promise<void> {
  const doc = docOf({ id: 'pcl_one' });
  say({ result: (await store.commit([writeOf(doc)]))[0] });
}

async function main(dataDir: string, what: string): Promise<void> {
  let store: Store;
  try {
    store = await openSqliteStore({ dataDir, collections, onFatal: (line) => say({ fatal: line }) });
  } catch (error) {
    say({ refused: String(error) });
    return;
  }
  if (what === 'hammer') await hammer(store);
  if (what === 'until') await until(store);
  if (what === 'open' || what === 'close') await one(store);
  if (what === 'close') await store.close();
}

await main(process.argv[2] ?? '', process.argv[3] ?? '');
