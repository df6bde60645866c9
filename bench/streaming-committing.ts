/** Our arm of the way from commit to wire: a node as it ships, which ends Direct-QR sessions that it hosts. The instant of
 *  each commit is taken where the store has just acknowledged it, before views, answer and notice. */
import { checkoutSessionAt } from '../actors/checkout-session/commands.ts';
import { start } from '../src/main.ts';
import { serveMaker, sharedMs } from './streaming-steady.ts';
import { copiesOf } from './streaming-sessions.ts';
import { onFatal } from '../test/support/alone.ts';

const committedAt = new Map<string, number>();
const galla = await start({
  onFatal,
  env: process.env,
  failpoint: (name, _kind, id) => void (name === 'after_commit' && committedAt.set(id, sharedMs())),
});
const { node } = galla;
// its own waits do not hold a process
setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => void galla.stop().then(() => process.exit(0)));

serveMaker({
  streams: galla.url,
  copies: (id, count) => copiesOf(node.store, id, count),
  async make(id) {
    const at = checkoutSessionAt(id);
    const found = await node.client.read(at, null);
    if (found === null) throw new Error(`there is no ${id}`);
    const result = await node.client.ask(at, 'expire', {}, { by: 'merchant', scope: found.meta.scope });
    if (result.is !== 'ok') throw new Error(`the end of ${id} came to ${JSON.stringify(result)}`);
    return committedAt.get(id) ?? Number.NaN;
  },
});
