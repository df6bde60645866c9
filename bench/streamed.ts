/** Our arm of the streaming bench: the listener, the hub and the door of Direct-QR streams as they ship, on the watchers
 *  and the bus of an embedded node; only the sessions behind them are made up here. `/fan` commits one more event of the
 *  session that readers share; any other id is a session of its reader's own. */
import type { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import type { QrEvent } from '../actors/checkout-session/qr-events.ts';
import { Hub } from '../gateways/sse/hub.ts';
import { qrEventsDoor, qrReader } from '../gateways/sse/qr-events.ts';
import { listen } from '../gateways/server/listener.ts';
import { createLoneBus } from '../src/bus/bus-lone.ts';
import { realScheduler } from '../src/kernel/time.ts';
import type { Client } from '../src/runtime/model/client.ts';
import { Watchers } from '../src/runtime/node/watchers.ts';
import { createLog } from '../src/telemetry/log.ts';
import { collectOnSignal, scan } from './streaming-frame.ts';
import { bareListener, unwatched } from '../test/support/alone.ts';

collectOnSignal();
const log = createLog({ level: 'error', pretty: false });
const watchers = new Watchers({
  bus: createLoneBus(),
  kinds: new Map(),
  isHere: () => true,
  lists: { add: () => undefined, remove: () => undefined, wanted: () => 'no' },
});
const qrLog: QrEvent[] = [];
const session = { status: 'initiated', order: { source: 'direct_qr' }, qrLog };
const found = (id: string): object => ({
  state: { ...session, qrLog: [...qrLog] },
  meta: { id, scope: 'prj_x:sandbox', createdAt: 0 },
  view: {},
  v: 1,
});
const client = {
  read: async ({ id }: ReturnType<typeof checkoutSessionAt>) => found(id),
  readStored: async (_kind: string, ids: readonly string[]) => new Map(ids.map((id) => [id, found(id)])),
  now: () => 0,
} as unknown as Client;

const hub = new Hub({
  scheduler: realScheduler,
  log,
  read: qrReader(client),
  watch: (id, onNotice) => watchers.watch(id, onNotice),
  ...unwatched,
  streamsPerAddressMax: Number.POSITIVE_INFINITY,
  streamsPerTopicMax: Number.POSITIVE_INFINITY,
});
const listener = await listen({ host: '0.0.0.0', port: 0, log, ...bareListener });
listener.mount([
  qrEventsDoor({ hub, log }),
  {
    method: 'GET',
    path: '/fan',
    handle: () => {
      qrLog.push({ n: qrLog.length + 1, event: 'qr.scanned', data: scan });
      watchers.notify(scan.sessionId, 'prj_x:sandbox', null);
      return Promise.resolve({ status: 200, body: 'fanned' });
    },
  },
]);
setInterval(() => undefined, 60_000);
process.stdout.write(`http://127.0.0.1:${listener.port}\n`);
