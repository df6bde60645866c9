/** Many open Direct-QR sessions in little time: copies of one that was opened through the API, written by the store
 *  itself. They have no timers, so nothing happens to them but what a bench makes happen. */
import type { InitiatedSession, SessionState } from '../actors/checkout-session/state.ts';
import type { Api, Body } from '../src/cli/demo/api.ts';
import { mintId } from '../src/kernel/id.ts';
import { slotOfActor } from '../src/runtime/model/address.ts';
import type { Doc, Store } from '../src/store/store.ts';
import { eventually } from '../test/support/eventually.ts';

const batch = 500;
const order = {
  amount: 125_050,
  customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
};

/** Opens the one all others are copies of; its id. */
export const opened = async (api: Api): Promise<string> => (await code(api)).text('id');

const code = async (api: Api): Promise<Body> => (await api.must('POST', '/v1/qr/qr_a', order)).body;

const scanMsMax = 15_000;

/** The same, and a phone has scanned its code: its stream has an event. */
export async function scanned(api: Api, store: Pick<Store, 'read'>): Promise<string> {
  const session = await code(api);
  const id = session.text('id');
  await fetch(`${api.baseUrl}/sim/qr_a/`, {
    method: 'POST',
    body: new URLSearchParams({ prn: session.text('qr_message'), do: 'scan' }),
    redirect: 'manual',
  });
  await eventually(
    async () => {
      const doc = await store.read('checkout_session', id);
      return doc !== null && isOpen(doc) && doc.body.qrLog.length > 0 ? true : null;
    },
    () => `${id} to be scanned`,
    scanMsMax,
  );
  return id;
}

/** Writes `count` copies of it; their ids. */
export async function copiesOf(
  store: Pick<Store, 'read' | 'commit'>,
  id: string,
  count: number,
): Promise<readonly string[]> {
  const template = await store.read('checkout_session', id);
  if (template === null || !isOpen(template)) throw new Error(`${id} is not open`);
  const ids = Array.from({ length: count }, () => mintId('cs'));
  for (let at = 0; at < count; at += batch) {
    const docs = ids.slice(at, at + batch).map((each) => copyOf(template, each));
    const results = await store.commit(docs.map((doc) => ({ expect: 0, doc, rows: [] })));
    const bad = results.find(({ is }) => is !== 'applied');
    if (bad !== undefined) throw new Error(`a copy was not stored: ${JSON.stringify(bad)}`);
  }
  return ids;
}

interface OpenDoc extends Doc {
  readonly body: InitiatedSession & NonNullable<Doc['body']>;
}

const isOpen = (doc: Doc): doc is OpenDoc =>
  (doc.body as unknown as SessionState | null)?.status === 'initiated';

function copyOf(template: OpenDoc, id: string): Doc {
  const text = JSON.stringify(template)
    .replaceAll(template.id, id)
    .replaceAll(template.body.running, mintId('pay', id));
  const rest = { timers: [], wake: null, out: [], busy: false };
  return { ...(JSON.parse(text) as Doc), ...rest, id, slot: slotOfActor(id), tok: id };
}
