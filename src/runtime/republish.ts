/** EVENTS was lost and made anew: every log publishes again from its beginning. The journal has them all (engine 7).
 *  Boundary: rewinds logs by a command of theirs; the pumps of whoever owns them do the rest.
 *  1. Any node may do it, several at once may, and again where one died over it: each time a log begins again, and what
 *     is told twice is kept once. */
import { seconds, type DurationMs } from '../kernel/time.ts';
import type { Node } from './node.ts';

const logsPerPage = 100;
/** How often a log that does not answer is asked. */
const triesMax = 10;
const againMs: DurationMs = seconds(1);

type Parts = Pick<Node, 'store' | 'ask' | 'pause' | 'log'>;

/** Rewinds every log of the cluster; false when not all of them have heard. Never rejects. */
export async function republishAll(node: Parts): Promise<boolean> {
  let silent = 0;
  try {
    for (let page = 1; ; page++) {
      const query = { kind: 'event_log', scope: null, page, limit: logsPerPage };
      const { items } = await node.store.listDocs(query);
      if (page === 1 && items.length > 0)
        node.log.warn({}, 'EVENTS was made anew: every event of the journal is published again');
      for (const { id } of items) if (!(await rewind(node, id))) silent++;
      if (items.length < logsPerPage) break;
    }
    if (silent === 0) return true;
    throw new Error(`${silent} logs do not answer`);
  } catch (thrown) {
    node.log.error({ err: thrown }, 'EVENTS is not whole yet: it is tried again in a minute');
    return false;
  }
}

/** One log that does not answer holds up nobody else's. */
async function rewind(node: Parts, id: string): Promise<boolean> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { is } = await node.ask({ kind: 'event_log', id }, 'republish', {}, { by: 'system', scope: null });
    if (is === 'ok' || is === 'refused') return true;
    await node.pause(againMs);
  }
  return false;
}
