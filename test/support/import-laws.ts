/** The rules of imports: which folder may import which.
 *  Boundary: each rule with a file that breaks it; test/tidy.test.ts checks the sources against them. */
import type { Import, Source } from './house.ts';
import { says, type Law } from './law.ts';

/** Everything imported but what is allowed; what `types` match may be imported as types alone. */
const importsBut = (allowed: readonly RegExp[], types: readonly RegExp[] = []) =>
  importsOf(
    ({ target, typeOnly }) =>
      !allowed.some((one) => one.test(target)) && !(typeOnly && types.some((one) => one.test(target))),
  );

const importsOf =
  (forbidden: (found: Import) => boolean) =>
  ({ imports }: Source): readonly string[] =>
    imports.filter(forbidden).map(({ target }) => `imports ${target}`);

const kernel = /^src\/kernel\//;
const nodes = /^node:/;
const catalog = /^src\/providers\/catalog\.ts$/;
const simulatedWire = /^src\/providers\/simulated-wire\.ts$/;
/** The data of providers: the list of them, and what it is made of. */
const traits = /^src\/providers\/(?:catalog|traits|drawings|[^/]+\/traits)\.ts$/;

/** The order of the rooms: each imports itself and those before it, so no two import each other. The first that matches
 *  a file is its room. The port of the store belongs to the model: a store is what implements it. */
const roomsInOrder: readonly RegExp[] = [
  kernel,
  traits,
  /^src\/providers\/answers\.ts$/,
  /^src\/(?:runtime\/model\/|store\/store\.ts$)/,
  /^actors\//,
  /^src\/errors\.ts$/,
  /^src\/store\//,
  /^src\/bus\//,
  /^src\/runtime\//,
  /^src\/telemetry\//,
  /^src\/outbound\//,
  /^src\/(?:config|providers\/live-host-settings)\.ts$/,
  /^src\/providers\//,
  /^src\/books\//,
  /^src\/billing\//,
  /^gateways\/server\//,
  /^gateways\/live\//,
  /^gateways\/requests\//,
  // what each request passes, and who may come in: see each other, and no resource of the API
  /^gateways\/http\/(?:route|access)\//,
  /^gateways\/logo\//,
  /^gateways\/status\//,
  /^gateways\/http\//,
  /^gateways\/commands\//,
  /^gateways\/pages\//,
  /^gateways\/messages\//,
  /^gateways\/buyer\//,
  /^gateways\/front\//,
  /^gateways\/sse\//,
  /^gateways\/socketio\//,
  /^gateways\/dashboard\/server\//,
  /^gateways\/dashboard\/web\//,
  /^gateways\/simulator\//,
  /^gateways\/[^/]+\.ts$/,
  /^src\/compose\//,
  /^src\/main\.ts$/,
  /^src\/cli\//,
];
const placeOf = (path: string): number => roomsInOrder.findIndex((room) => room.test(path));

/** `tables`: the files that define an actor. */
export const importLaws = (tables: ReadonlySet<string>): readonly Law[] => [
  {
    says: 'the rooms have an order, and each sees those before it',
    rooms: /^(?:src|actors|gateways)\//,
    broken: ({ path, imports }) => [
      ...(placeOf(path) < 0 ? ['has no place in roomsInOrder'] : []),
      ...imports
        .filter(({ target }) => placeOf(target) > placeOf(path))
        .map(({ target }) => `imports ${target}`),
    ],
    breach: ['gateways/http/x.ts', "import type { Form } from '../buyer/x.ts';"],
  },
  {
    says: 'actors see the actor builder, the kernel, one another, of providers their traits and the words of answers',
    rooms: /^actors\//,
    // schedules and faults depend on what a wire can do; the catalog is data, and has a law of its own
    broken: importsBut(
      [/^src\/runtime\/model\/actor\.ts$/, kernel, /^actors\//, catalog],
      [/^src\/providers\/(?:answers|traits)\.ts$/],
    ),
    breach: ['actors/x/x.ts', "import { readFileSync } from 'node:fs';"],
  },
  {
    says: 'the kernel sees node and itself',
    rooms: kernel,
    broken: importsBut([nodes, kernel]),
    breach: ['src/kernel/x.ts', "import { actor } from '../runtime/actor.ts';"],
  },
  {
    says: 'the runtime sees the kernel and its ports, and knows no actor',
    rooms: /^src\/runtime\//,
    broken: importsBut([
      /^src\/runtime\//,
      kernel,
      /^src\/(?:store\/(?:store|directory)|bus\/bus)\.ts$/,
      /^node:util$/,
    ]),
    breach: ['src/runtime/x.ts', "import type { Order } from '../../actors/checkout-session/order.ts';"],
  },
  {
    says: 'the rooms of the runtime see what is below them: model, turn, cluster, time, delivery, activation, node',
    rooms: /^src\/runtime\//,
    broken: ({ path, imports }) =>
      imports
        .filter(({ target }) => target.startsWith('src/runtime/'))
        .filter(({ target }) => roomAt(path) < 0 || roomAt(target) > roomAt(path))
        .map(({ target }) => `imports ${target}`),
    breach: ['src/runtime/turn/x.ts', "import type { Node } from '../node/node.ts';"],
  },
  {
    says: 'nothing of the runtime names a kind of actor',
    rooms: /^src\/runtime\//,
    broken: says(/'(?:project|event_log|checkout_session|webhook_(?:endpoint|delivery)|idempotency_key)'/),
    breach: ['src/runtime/x.ts', "const to = { kind: 'event_log', id };"],
  },
  {
    says: 'what the demo uses is taken by the command line alone',
    rooms: /^(?:actors|gateways|src\/(?!cli\/))/,
    broken: importsOf(({ target }) => target.startsWith('src/cli/demo/')),
    breach: ['src/runtime/x.ts', "import { Api } from '../cli/demo/api.ts';"],
  },
  {
    says: 'the store knows documents, not actors: of the runtime it takes types',
    rooms: /^src\/store\//,
    broken: importsBut(
      [/^src\/store\//, kernel, nodes, /^libsql$/, /^mongodb$/, /^esbuild$/],
      [/^src\/runtime\//],
    ),
    breach: ['src/store/x.ts', "import { Node } from '../runtime/node.ts';"],
  },
  {
    says: 'one file speaks to SQLite',
    rooms: /^(?!src\/store\/sqlite-bind\.ts$)/,
    broken: importsOf(({ target }) => target === 'libsql'),
    breach: ['src/store/x.ts', "import Libsql from 'libsql';"],
  },
  {
    says: 'the bus carries envelopes, and knows no actor and no document',
    rooms: /^src\/bus\//,
    broken: importsBut([/^src\/bus\//, kernel, nodes, /^@nats-io\/|^nats$/], [/^src\/runtime\//]),
    breach: ['src/bus/x.ts', "import type { Doc } from '../store/store.ts';"],
  },
  {
    says: 'NATS is spoken to by the bus, MongoDB by the store',
    rooms: /./,
    broken: ({ path, imports }) =>
      imports.flatMap(({ target }) => {
        const room = /^(?:nats$|@nats-io\/)/.test(target) ? 'src/bus/' : null;
        const owner = target === 'mongodb' ? 'src/store/' : room;
        return owner === null || path.startsWith(owner) ? [] : [`imports ${target}`];
      }),
    breach: ['src/runtime/x.ts', "import { connect } from 'nats';"],
  },
  {
    says: 'one file counts for Prometheus, one makes spans',
    rooms: /^(?!src\/telemetry\/(?:metrics|trace)\.ts$)/,
    broken: importsOf(({ target }) => /^(?:prom-client|@opentelemetry\/.*)$/.test(target)),
    breach: ['gateways/x.ts', "import { trace } from '@opentelemetry/api';"],
  },
  {
    says: 'adapters and what they share take types of messages and nothing else of actors',
    // those carry a provider's calls, effects and health between the runtime and the adapters
    rooms: /^src\/providers\/(?!health\/|(?:provider-calls|provider-effects|breaker-sharing)\.ts$)/,
    broken: importsBut(
      [/^src\/(?:providers|kernel|outbound)\//, /^src\/runtime\/model\/address\.ts$/, nodes, /^undici$/],
      [/^actors\/[^/]+\/(?:messages|order|commands|attempt)\.ts$/],
    ),
    breach: [
      'src/providers/x.ts',
      "import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';",
    ],
  },
  {
    says: 'a simulator imports node, the kernel and what simulators share, so that a mistake cannot cancel itself out',
    rooms: /^src\/providers\/(?:(?:[^/]+\/)+simulator|simulated-wire)\.ts$/,
    broken: importsBut([nodes, kernel, simulatedWire]),
    breach: ['src/providers/x/simulator.ts', "import { objectIn } from '../provider.ts';"],
  },
  {
    says: 'traits are data: they import one another alone, since actors, pages and the browser take them',
    rooms: traits,
    broken: importsBut([traits]),
    breach: ['src/providers/x/traits.ts', "import { walletB } from '../wallet-b/wallet-b.ts';"],
  },
  {
    says: 'outside of webhooks what goes out knows no actor',
    rooms: /^src\/(?:outbound\/(?!webhook-)|telemetry\/)/,
    broken: importsOf(({ target }) => /^(?:actors|gateways)\//.test(target)),
    breach: ['src/outbound/x.ts', "export { x } from '../../actors/project/project.ts';"],
  },
  {
    says: 'nobody but the composition root sees gateways',
    rooms: /^(?:actors|src)\/(?!main\.ts$|compose\/)/,
    broken: importsOf(({ target }) => target.startsWith('gateways/')),
    breach: ['src/cli/x.ts', "const door = await import('../../gateways/server/listener.ts');"],
  },
  {
    says: 'the composition root takes its parts by argument: its rooms do not import it',
    rooms: /^(?:actors|gateways|src\/(?!cli\/))/,
    broken: importsOf(({ target }) => target === 'src/main.ts'),
    breach: ['src/compose/x.ts', "import type { Galla } from '../main.ts';"],
  },
  {
    says: 'nobody but the composition root sees how it puts parts together',
    rooms: /^(?:actors|gateways|src\/(?!main\.ts$|compose\/|cli\/))/,
    broken: importsOf(({ target }) => target.startsWith('src/compose/')),
    breach: ['gateways/x.ts', "import { demoPayment } from '../src/compose/demo-merchant.ts';"],
  },
  {
    says: 'the command line is the outermost room: nobody imports it',
    rooms: /^(?!src\/cli\/)/,
    broken: importsOf(({ target }) => target.startsWith('src/cli/')),
    breach: ['src/main.ts', "import { collections } from './cli/collections.ts';"],
  },
  {
    says: 'gateways see messages and views of actors, never their tables',
    rooms: /^gateways\//,
    broken: importsOf(({ target }) => tables.has(target)),
    breach: ['gateways/x.ts', "import { project } from '../actors/project/project.ts';"],
  },
  {
    says: 'gateways know a provider by its traits and health and speak as one by its simulator, never by our adapter',
    rooms: /^gateways\//,
    broken: importsOf(
      ({ target, typeOnly }) =>
        target.startsWith('src/providers/') &&
        !target.endsWith('/simulator.ts') &&
        !simulatedWire.test(target) &&
        !traits.test(target) &&
        !target.startsWith('src/providers/health/') &&
        !(typeOnly && target === 'src/providers/answers.ts'),
    ),
    breach: ['gateways/x.ts', "import { walletB } from '../src/providers/wallet-b/wallet-b.ts';"],
  },
  {
    says: 'the listener knows HTTP, not our API: of the product it sees the kernel, and the log as a type',
    rooms: /^gateways\/server\//,
    broken: importsBut(
      [/^gateways\/server\//, kernel, nodes, /^uWebSockets\.js$/],
      [/^src\/telemetry\/log\.ts$/],
    ),
    breach: ['gateways/server/x.ts', "import { errorReply } from '../http/route/reply.ts';"],
  },
  {
    says: 'gateways know the store as a port',
    rooms: /^gateways\//,
    broken: importsOf(({ target }) => /^src\/store\/(?!store\.ts$)/.test(target)),
    breach: ['gateways/x.ts', "import { openSqliteStore } from '../src/store/store-sqlite.ts';"],
  },
  {
    says: 'the product takes nothing of tests and benches',
    rooms: /^(?!test\/)/,
    broken: importsOf(({ target }) =>
      /^(?:test|bench)\/|^(?:vitest|fast-check|playwright-core|tsx)$/.test(target),
    ),
    breach: ['src/x.ts', "import '../test/support/house.ts';"],
  },
];

/** The rooms of the runtime: each sees those before it and itself. */
const runtimeRooms = ['model', 'turn', 'cluster', 'time', 'delivery', 'activation', 'node'];
const roomAt = (path: string): number => runtimeRooms.indexOf(path.split('/')[2] ?? '');
