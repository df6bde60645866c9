/** The operator's view of the cluster: which nodes exist, and which commands could not be delivered, to
 *  send them again.
 *  1. The content of a parked command is never shown: it may hold a buyer's data. */
import { iso } from '../../../src/kernel/time.ts';
import { isLive, projectOf } from '../../../src/runtime/model/address.ts';
import type { Row } from '../../../src/store/store.ts';
import type { NodeSeen } from '../../../src/telemetry/nodes.ts';
import type { ApiParts } from '../api-parts.ts';
import { done, notFound, refusalOf, refused } from '../route/answer.ts';
import { answerPage, listQuerySchema, queryOf } from '../route/paging.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { nodes as nodesShown, parkedCommand, replayed as replayedShown } from '../schemas/cluster.ts';
import { listOf } from '../schemas/parts.ts';

const cluster: Resource = {
  name: 'Cluster',
  description: 'The nodes of the service, and the commands that could not be delivered.',
};

type Parts = Pick<ApiParts, 'client' | 'nodes' | 'replayDead'>;

export const clusterRoutes = ({ client, nodes, replayDead }: Parts) => [
  route({
    method: 'GET',
    at: { operator: '/admin/v1/nodes' },
    resource: cluster,
    operation: 'listNodes',
    summary: 'List the nodes',
    answer: nodesShown,
    key: 'operator',
    reply: 200,
    async handle() {
      const { nodes: all, partitions, unowned } = await nodes();
      return done({ data: all.map(shownNode), partitions, unowned });
    },
  }),
  route({
    method: 'GET',
    at: { operator: '/admin/v1/dead' },
    resource: cluster,
    operation: 'listParkedCommands',
    summary: 'List the commands that could not be delivered',
    description: 'They stay here and are not repeated by themselves.',
    answer: listOf(parkedCommand),
    key: 'operator',
    reply: 200,
    query: listQuerySchema,
    handle: ({ query }) =>
      answerPage(query, (page) => client.listRows(queryOf('dead', null, page, query)), shownDead),
  }),
  route({
    method: 'POST',
    at: { operator: '/admin/v1/dead/{id}/replay' },
    resource: cluster,
    operation: 'replayParkedCommand',
    summary: 'Send a parked command again',
    description:
      'Once, however often it is asked for: later requests get 409, `currentStatus` `replayed`. When it is ' +
      'answered it leaves the list; after 500 or 503 it stays there.',
    answer: replayedShown,
    errors: ['invalid_state'],
    object: 'parked command',
    key: 'operator',
    reply: 200,
    async handle({ params }) {
      const id = params.id;
      const replayed = await replayDead(id);
      switch (replayed.is) {
        case 'answered':
          return done({ id, outcome: replayed.outcome });
        case 'not_found':
          return notFound;
        case 'replayed':
        case 'moved_on':
          return refused('invalid_state', { message: whyNot[replayed.is], currentStatus: replayed.is });
        default:
          return refusalOf(replayed);
      }
    },
  }),
];

const whyNot = {
  replayed: 'This was sent again before, and answered.',
  moved_on: 'The actor has moved on since: what it could not take then it must not be given now.',
};

const shownNode = (node: NodeSeen): object => ({ ...node, since: iso(node.since) });

/** `tell`: from one actor to another; `command`: a timer, a result of an effect, a consequence of an event, or what a
 *  program on NATS sent. */
function shownDead({ id, owner, scope, body, created }: Row): object {
  const from = `${owner.kind}/${owner.id}`;
  const { tell, command, reason, sender } = body;
  const isTell = typeof tell === 'string';
  return {
    id,
    type: isTell ? 'tell' : 'command',
    from: isTell ? from : typeof sender === 'string' ? sender : null,
    to: isTell ? tell : from,
    command: typeof command === 'string' ? command : null,
    reason: typeof reason === 'string' ? reason : null,
    projectId: scope === 'system' ? null : projectOf(scope),
    livemode: scope === 'system' ? null : isLive(scope),
    createdAt: iso(created),
  };
}
