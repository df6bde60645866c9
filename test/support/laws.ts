/** The laws of the house: who sees whom, what is never called, how big things get.
 *  Boundary: says what a law is and what breaks it; test/tidy.test.ts holds the house to them.
 *  1. Each law carries a file that breaks it: a law nothing can break is none. */
import { changedGlobals } from './globals.ts';
import type { Import, Source } from './house.ts';

/** A file a person writes; the ceiling asks which noun inside it wants a room of its own. */
const fileLinesMax = 400;
const functionLinesMax = 70;
const columnsMax = 120;
/** What one reads without scrolling back. */
const pageLinesMax = 120;

export interface Law {
  readonly says: string;
  /** Files it is about. */
  readonly rooms: RegExp;
  /** What breaks it, one text each. */
  readonly broken: (source: Source) => readonly string[];
  /** A file that breaks it. */
  readonly breach: readonly [path: string, text: string];
}

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

/** Lines of code that match; what a comment says is no call. */
const says =
  (...patterns: readonly RegExp[]) =>
  ({ lines }: Source): readonly string[] =>
    lines.flatMap((line, at) => {
      const isCode = !/^\s*(?:\/\/|\*|\/\*)/.test(line);
      return isCode && patterns.some((pattern) => pattern.test(line))
        ? [`line ${at + 1}: ${line.trim()}`]
        : [];
    });

const kernel = /^src\/kernel\//;
const nodes = /^node:/;
const catalog = /^src\/providers\/catalog\.ts$/;
/** The data of providers: the list of them, and what it is made of. */
const traits = /^src\/providers\/(?:catalog|traits|drawings|[^/]+\/traits)\.ts$/;

/** `tables`: the files that define an actor. */
export const importLaws = (tables: ReadonlySet<string>): readonly Law[] => [
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
    says: 'what tests and the demo use is taken by them alone',
    rooms: /^(?:actors|gateways|src\/(?!cli\/|testing\/))/,
    broken: importsOf(({ target }) => target.startsWith('src/testing/')),
    breach: ['src/runtime/x.ts', "import { StoreSim } from '../testing/store-sim.ts';"],
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
    // those three carry a provider's calls, effects and news between the runtime and the adapters
    rooms: /^src\/providers\/(?!(?:provider-calls|provider-effects|breaker-news)\.ts$)/,
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
    says: 'a simulator imports node and the kernel alone, so that a mistake cannot cancel itself out',
    rooms: /^src\/providers\/[^/]+\/simulator\.ts$/,
    broken: importsBut([nodes, kernel]),
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
    breach: ['gateways/x.ts', "import { demoPayment } from '../src/compose/demo-payment.ts';"],
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
    says: 'gateways know a provider by its traits and speak as one by its simulator, never by our adapter',
    rooms: /^gateways\//,
    broken: importsOf(
      ({ target, typeOnly }) =>
        target.startsWith('src/providers/') &&
        !target.endsWith('/simulator.ts') &&
        !traits.test(target) &&
        !(typeOnly && target === 'src/providers/answers.ts'),
    ),
    breach: ['gateways/x.ts', "import { walletB } from '../src/providers/wallet-b/wallet-b.ts';"],
  },
  {
    says: 'gateways know the store as a port',
    rooms: /^gateways\//,
    broken: importsOf(({ target }) => /^src\/store\/(?!store\.ts$)/.test(target)),
    breach: ['gateways/x.ts', "import { openSqliteStore } from '../src/store/store-sqlite.ts';"],
  },
  {
    says: 'the product takes nothing of tests and benches',
    rooms: /./,
    broken: importsOf(({ target }) =>
      /^(?:test|bench)\/|^(?:vitest|fast-check|playwright-core|tsx)$/.test(target),
    ),
    breach: ['src/x.ts', "import '../test/support/house.ts';"],
  },
];

/** The rooms of the runtime: each sees those before it and itself. */
const runtimeRooms = ['model', 'turn', 'cluster', 'time', 'delivery', 'activation', 'node'];
const roomAt = (path: string): number => runtimeRooms.indexOf(path.split('/')[2] ?? '');

const clocks = [
  /\bDate\.now\b/,
  /\bnew Date\b/,
  /\bperformance\.now\b/,
  /\bhrtime\b/,
  /\bset(?:Timeout|Interval|Immediate)\b/,
];
const dice = [/\bMath\.random\b/, /\brandom(?:Bytes|UUID|Int|FillSync)\b/, /\bgetRandomValues\b/];

export const callLaws: readonly Law[] = [
  {
    says: 'actors, the runtime and the model of a store call no clock and throw no dice',
    rooms: /^(?:actors|src\/runtime|src\/testing\/(?:store-sim|directory-sim|test-runner))/,
    broken: says(...clocks, ...dice),
    breach: ['src/runtime/x.ts', 'const at = Date.now();'],
  },
  {
    says: 'actors never wait',
    rooms: /^actors\//,
    broken: says(
      /\bawait\b/,
      /\basync\b/,
      /\bPromise\b/,
      /\.then\(/,
      /\bqueueMicrotask\b/,
      /\bprocess\b/,
      /\bfetch\(/,
    ),
    breach: ['actors/x/x.ts', 'const late = async () => 1;'],
  },
  {
    says: 'dice are thrown at the doors and by the kernel',
    rooms: /^src\/(?!kernel\/|main\.ts$|cli\/|compose\/|testing\/demo\/)/,
    broken: says(...dice),
    breach: ['src/outbound/x.ts', 'const x = Math.random();'],
  },
  {
    says: 'the environment is read by the command line alone, and handed to config.ts',
    rooms: /^(?!src\/(?:cli|testing\/demo)\/)/,
    // uWebSockets.js takes its bound of a head from the environment and from nowhere else
    broken: says(/\bprocess\.env\b(?!\['UWS_HTTP_MAX_HEADERS_SIZE'\])/),
    breach: ['gateways/x.ts', "const x = process.env['X'];"],
  },
  {
    says: 'what is said goes to the log',
    rooms: /./,
    broken: says(/\bconsole\./),
    breach: ['src/x.ts', 'console.log(1);'],
  },
  {
    says: 'no any, no default exports, no barrels, no enums, no silenced checks',
    rooms: /./,
    broken: says(
      /\bas any\b/,
      /[:<|] ?any\b/,
      /^export default\b/,
      /^export \* from/,
      /^(?:export )?(?:const )?enum\b/,
      /@ts-(?:ignore|nocheck)/,
    ),
    breach: ['src/x.ts', 'const x: any = 1;'],
  },
  {
    says: 'a pause is that of the kernel, of a Backoff or of node:timers/promises',
    rooms: /^(?!src\/kernel\/time\.ts$)/,
    broken: says(
      /\bnew Promise(?:<\w+>)?\(\((\w+)\) => (?:void )?[\w.]*\b(?:after|setTimeout)\((?:\1\b|[^(]*, \1\))/,
    ),
    breach: ['src/x.ts', 'await new Promise<void>((resolve) => void scheduler.after(delay, resolve));'],
  },
  {
    says: 'no globals that change: a module holds constants',
    rooms: /./,
    broken: says(
      /^(?:export )?(?:let|var)\b/,
      /^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = (?:new (?:Map|Set)(?:<[^(]*>)?\(\)|\[\]);/,
    ),
    breach: ['src/x.ts', 'const seen = new Map<string, number>();'],
  },
  {
    says: 'no function changes an object of its module',
    rooms: /\.tsx?$/,
    broken: ({ path, text }) => changedGlobals(path, text),
    breach: ['src/x.ts', 'const latest = { day: 0 };\nfunction x() {\n  [latest.day] = [1];\n}'],
  },
];

export const shapeLaws: readonly Law[] = [
  {
    says: `no file passes ${fileLinesMax} lines`,
    rooms: /./,
    broken: ({ lines }) => (lines.length > fileLinesMax + 1 ? [`has ${lines.length - 1} lines`] : []),
    breach: ['src/x.ts', 'x\n'.repeat(fileLinesMax + 1)],
  },
  {
    says: `the composition root is one page of ${pageLinesMax} lines`,
    rooms: /^src\/main\.ts$/,
    broken: ({ lines }) => (lines.length > pageLinesMax + 1 ? [`has ${lines.length - 1} lines`] : []),
    breach: ['src/main.ts', 'x\n'.repeat(pageLinesMax + 1)],
  },
  {
    says: `no function passes ${functionLinesMax} lines`,
    rooms: /./,
    broken: longFunctions,
    breach: ['src/x.ts', `function x(\n  a: number,\n): void {\n${'  a;\n'.repeat(functionLinesMax)}}\n`],
  },
  {
    says: `no line passes ${columnsMax} columns`,
    rooms: /./,
    broken: ({ lines }) =>
      lines.flatMap(({ length }, at) =>
        length > columnsMax ? [`line ${at + 1} has ${length} columns`] : [],
      ),
    breach: ['src/x.ts', 'x'.repeat(columnsMax + 1)],
  },
  {
    says: 'each file says at its head what it is for',
    rooms: /./,
    broken: ({ text }) => (text.startsWith('/**') ? [] : ['begins without a comment']),
    breach: ['src/x.ts', 'const x = 1;'],
  },
  {
    says: 'a file is called by its noun',
    rooms: /./,
    broken: ({ path }) =>
      /(?:^|[/-])(?:utils?|helpers?|misc|common|stuff)\.ts$/.test(path) ? ['says nothing by its name'] : [],
    breach: ['src/kernel/string-utils.ts', ''],
  },
  {
    says: 'the code names no place of one machine and leaves nothing for later',
    rooms: /./,
    broken: says(/['"`]\/(?:work|home|root|Users)\/|\bTODO\b|\bFIXME\b|\bXXX\b/),
    breach: ['src/x.ts', "const x = '/home/me/x';"],
  },
];

const functionBegins = [
  /^( *)(?:export )?(?:async )?function\b/,
  /^( *)(?:export )?const \w+.*=> \{$/,
  /^( +)(?!(?:if|for|while|switch|catch|return|else)\b)(?:(?:private|static|async|get|set) )*#?\w+(?:<[^>]*>)?\(.*\{$/,
];
/** Ends a block, but not a parameter list or a type. */
const isEnd = (line: string, indent: string): boolean =>
  line.startsWith(`${indent}}`) && !/^ *\}(?:\)?:| )/.test(line);

/** Functions and methods that end further down than they may; a table of routes is none. */
function longFunctions({ lines }: Source): readonly string[] {
  return lines.flatMap((line, at) => {
    const indent = functionBegins.map((begin) => begin.exec(line)?.[1]).find((found) => found !== undefined);
    if (indent === undefined) return [];
    const end = lines.findIndex((each, below) => below > at && isEnd(each, indent));
    return end - at + 1 > functionLinesMax ? [`line ${at + 1}: ${end - at + 1} lines`] : [];
  });
}
