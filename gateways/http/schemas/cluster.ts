/** The nodes of the service, and the commands that could not be delivered. */
import { Type } from 'typebox';
import { version } from '../../../src/telemetry/version.ts';
import { shown } from '../route/description.ts';
import { flag, integer, object, oneOf, orNull, text, textOrNull, time } from './parts.ts';

const load = object('NodeLoad', 'What the node that answers is doing.', {
  activations: integer('Actors in memory.'),
  mailboxCommands: integer('Commands that wait for their turn.'),
  outboxOldestMs: integer('Age of the oldest event, command or call that waits to be sent.'),
  eventsToDispatch: integer('Events that are logged, but not yet given to webhook endpoints.'),
  eventsToPublish: integer('Events that are logged, but not yet published to the bus.'),
});

const maybe = (description: string) =>
  Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });

const partitions = Type.Array(Type.Integer(), { description: 'Numbers of partitions.' });

const node = object('Node', 'One process of the service.', {
  id: text('Changes with each start.'),
  name: text('Host and process.'),
  version: text('The version of the program.'),
  baseUrl: textOrNull('Its `BASE_URL`. null where it is not set, or the node is of an older version.'),
  baseUrlDiffers: flag(
    'It names another `BASE_URL` than the node that answers: buyers are sent to two addresses. Set the same one.',
  ),
  state: oneOf(['live', 'dead'], '`dead`: it has not answered for too long.'),
  since: time('When it started.'),
  actors: flag('Whether it hosts actors.'),
  bus: maybe(
    'Whether it is connected to the bus and the other nodes hear it there. null where there is none.',
  ),
  leaving: flag('It has been told to shut down.'),
  partitions: integer('How many partitions it owns.'),
  refuses: {
    ...partitions,
    description: 'Partitions it cannot serve: they hold documents of a newer version.',
  },
  own: orNull(load, 'Only of the node that answers; null for the others.'),
});

export const nodes = shown(
  object('Nodes', 'The service and its nodes.', {
    data: Type.Array(node, { description: 'All nodes.' }),
    partitions: integer('How many partitions there are.'),
    unowned: { ...partitions, description: 'Partitions that no living node owns.' },
  }),
  {
    data: [
      {
        id: 'n:zky94cx8qm718yneg629ar38',
        name: 'host-1 7124',
        version,
        baseUrl: null,
        baseUrlDiffers: false,
        state: 'live',
        since: '2026-11-21T17:55:49.311Z',
        actors: true,
        bus: null,
        leaving: false,
        partitions: 256,
        refuses: [],
        own: {
          activations: 12,
          mailboxCommands: 0,
          outboxOldestMs: 0,
          eventsToDispatch: 0,
          eventsToPublish: 0,
        },
      },
    ],
    partitions: 256,
    unowned: [],
  },
);

export const parkedCommand = shown(
  object('ParkedCommand', 'A command that could not be delivered. What it carries is not shown.', {
    id: text('Its id. Percent-encode it in a path.'),
    type: oneOf(
      ['tell', 'command'],
      '`tell`: from one actor to another. `command`: a timer, a result, what follows from an event, or sent over NATS.',
    ),
    from: textOrNull('The actor that sent it, or the program: `nats:<user>`. null for any other `command`.'),
    to: text('The actor it is for.'),
    command: textOrNull('Its name.'),
    reason: textOrNull('Why it was not taken: the code of a refusal, `internal`, `unknown`.'),
    projectId: textOrNull('The project it belongs to. null for one of the service itself.'),
    livemode: maybe('Whether it is about real money. null for one of the service itself.'),
    createdAt: time('When it was given up.'),
  }),
  {
    id: 'webhook_endpoint/we_84x7aeyxa4rybcn54d19vx2h:7',
    type: 'tell',
    from: 'webhook_endpoint/we_84x7aeyxa4rybcn54d19vx2h',
    to: 'webhook_delivery/whd_tp3kr2v0y9w1c8bq6m5n4x7z',
    command: 'retry',
    reason: 'internal',
    projectId: 'prj_29b29j90mr3gsswkmzy950vk',
    livemode: false,
    createdAt: '2026-11-21T15:38:20.479Z',
  },
);

export const replayed = shown(
  object('Replayed', 'What came of sending a command again.', {
    id: text('The id of the parked command.'),
    outcome: text('`ok`, or the code of a refusal.'),
  }),
  { id: parkedCommand.example.id, outcome: 'not_found' },
);
