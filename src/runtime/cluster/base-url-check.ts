/** Whether the nodes name the same public address (BASE_URL): what one node makes leads buyers and providers to the
 *  address that this node names, whichever node they come from.
 *  Boundary: compares and logs; nothing stops. */
import type { NodeInfo, NodeRow } from '../../store/directory.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

/** Whether two nodes name different addresses. One that names none means its own, which no other node has. */
export const baseUrlsDiffer = (one: NodeInfo, other: NodeInfo): boolean =>
  one.baseUrl !== undefined &&
  other.baseUrl !== undefined &&
  (one.baseUrl === null || one.baseUrl !== other.baseUrl);

export class BaseUrlCheck {
  private readonly log: RuntimeLog;
  private said = '';

  constructor(log: RuntimeLog) {
    this.log = log;
  }

  /** Called with each read of the directory; logs each change once. */
  observe(nodes: readonly NodeRow[], self: string): void {
    const own = nodes.find(({ inc }) => inc === self)?.info;
    if (own === undefined) return;
    const others = nodes
      .filter(({ inc, state, info }) => inc !== self && state === 'live' && baseUrlsDiffer(own, info))
      .map(({ info: { name, baseUrl = null } }) => ({ name, baseUrl }));
    const differing = others.length === 0 ? '' : JSON.stringify(others);
    if (differing === this.said) return;
    this.said = differing;
    if (differing === '') this.log.warn({}, 'all nodes have the same BASE_URL again');
    else this.log.error({ baseUrl: own.baseUrl, others }, unequal);
  }
}

const unequal =
  'BASE_URL of this node differs from that of other nodes: buyers and providers are sent to different addresses. ' +
  'Set the same address at every node';
