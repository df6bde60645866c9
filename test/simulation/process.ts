/** One process of a world: how it is born from the parts src/compose/node.ts would hand in, and what of it can be reached from
 *  outside while it lives. */
import type { Actor } from '../../src/runtime/model/actor.ts';
import { embedded } from '../support/embedded.ts';
import { noMeters } from '../support/no-meters.ts';
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import type { Dispatch } from '../../src/runtime/delivery/journal-pump.ts';
import type { Ownership } from '../../src/runtime/cluster/ownership.ts';
import { joinCluster } from '../../src/runtime/cluster/join-cluster.ts';
import type { NodeOptions } from '../../src/runtime/node/node-options.ts';
import { Node } from '../../src/runtime/node/node.ts';
import { createStoreBreaker, neverOpens } from '../../src/runtime/activation/store-breaker.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import { WebhookReads } from '../../src/outbound/webhook-reads.ts';
import { DocReader } from '../../src/runtime/model/upcast.ts';
import type { SimConnection } from '../support/simulated/store-sim.ts';
import { envelopeText } from '../../actors/event-log/envelope.ts';
import { flagsOf, type Break } from './breaks.ts';
import type { SimBus } from './bus-sim.ts';
import { between } from './random.ts';
import type { ProcessScheduler } from './scheduler.ts';
import { poison } from './tally.ts';
import type { World } from './world.ts';

/** What runs in the process: the same parts src/compose/node.ts would hand in. */
export interface Parts {
  readonly actors: readonly Actor[];
  readonly effects: (world: World, self: () => Process) => EffectRunners;
  readonly dispatch: (reads: WebhookReads) => Dispatch;
}

/** A process while it lives. */
export interface Process {
  readonly incarnation: string;
  readonly node: Node;
  readonly ownership: Ownership;
  readonly scheduler: ProcessScheduler;
  readonly connection: SimConnection;
  readonly reads: WebhookReads;
  /** null: embedded. */
  readonly bus: SimBus | null;
  readonly broken: Break | null;
  alive: boolean;
  serving: boolean;
  /** Ends every open ask as `unknown`: the connection broke. */
  readonly hangUp: Set<() => void>;
}

/** A process before it has a node. */
interface Born {
  readonly name: string;
  readonly scheduler: ProcessScheduler;
  readonly connection: SimConnection;
  readonly bus: SimBus | null;
}

type Owning = Pick<NodeOptions, 'ownership' | 'bus' | 'publish'>;

export interface BirthOptions {
  readonly name: string;
  readonly parts: Parts;
  readonly outdated: (name: string) => boolean;
  readonly broken: Break | null | undefined;
}

/** Few, so that hand-offs and takeovers meet the same actors again and again. */
export const simPartitions = 8;

/** Brings a process to life; it serves once its start has ended. */
export function bear(world: World, options: BirthOptions): void {
  const { name } = options;
  const late = (): DurationMs =>
    world.chance() < world.lateness.often ? between(world.chance, 1, world.lateness.msMax) : 0;
  const scheduler = world.scheduler.process(late);
  const connection = world.store.connect((work) => scheduler.hold(work));
  const bus = world.clustered ? world.hub.connect(scheduler, name) : null;
  world.trace(`boot ${name}`);
  const born: Born = { name, scheduler, connection, bus };
  if (bus === null) return run(world, options, born, embedded(name));
  joined(world, options, { ...born, bus }).then(
    (owning) =>
      options.outdated(name)
        ? stillborn(world, born, 'a newer version has taken its place')
        : run(world, options, born, owning),
    (thrown: unknown) => stillborn(world, born, thrown),
  );
}

async function joined(
  world: World,
  { name, parts }: BirthOptions,
  { scheduler, connection, bus }: Born & { readonly bus: SimBus },
): Promise<Owning> {
  let lives = 0;
  const ownership = await joinCluster({
    directory: connection.directory,
    bus,
    scheduler,
    log: logOf(world, name),
    actors: parts.actors,
    hostsActors: true,
    name,
    version: 'simulated',
    baseUrl: null,
    mint: () => `${name}-${++lives}`,
    partitions: simPartitions,
  });
  return { ownership, bus, publish: (events) => bus.publish(events) };
}

function stillborn(world: World, { name, scheduler, connection, bus }: Born, thrown: unknown): void {
  world.trace(`${name} could not start: ${String(thrown)}`);
  scheduler.kill();
  connection.kill();
  bus?.kill();
  world.scheduler.after(seconds(1), () => world.boot());
}

function run(world: World, { parts, broken }: BirthOptions, born: Born, owning: Owning): void {
  const { name, scheduler, connection, bus } = born;
  const self = (): Process => process;
  const log = logOf(world, name);
  const reads = new WebhookReads({
    here: (kind, id) => process.node.actors.shown(kind, id),
    docs: new DocReader(connection, parts.actors),
    store: connection,
    alone: () => bus === null,
    scheduler,
  });
  const probe = (): Promise<unknown> => connection.read('project', 'prj_none');
  const node = new Node({
    actors: parts.actors,
    store: connection,
    scheduler,
    ...owning,
    actorBytesMax: world.actorBytesMax,
    breaker: bus === null ? neverOpens : createStoreBreaker({ scheduler, log, probe, patienceMs: 3000 }),
    meters: noMeters,
    envelopeText,
    effects: parts.effects(world, self),
    dispatch: parts.dispatch(reads),
    committed: (doc) => reads.observe(doc),
    faults: flagsOf(broken),
    log,
  });
  const process: Process = {
    incarnation: name,
    node,
    ownership: owning.ownership,
    scheduler,
    connection,
    reads,
    bus,
    broken: broken ?? null,
    alive: true,
    serving: false,
    hangUp: new Set(),
  };
  world.processes.push(process);
  node.start().then(
    () => {
      process.serving = true;
      node.open();
      bus?.forward((hint) => node.client.deliverHint(hint));
      bus?.onEventsLost((made) => node.republishing.all(made));
    },
    (thrown: unknown) => {
      world.trace(`${name} could not start: ${String(thrown)}`);
      world.kill(seconds(1), process);
    },
  );
}

/** An exception inside the process that was not injected is a violation too. */
function logOf(world: World, incarnation: string): NodeOptions['log'] {
  const say = (fields: object, message: string): void => {
    const thrown = 'err' in fields ? fields.err : null;
    world.trace(() => `log ${incarnation} ${message} ${String(thrown)}`);
  };
  return {
    warn: say,
    error: (fields, message) => {
      say(fields, message);
      const thrown = 'err' in fields ? fields.err : null;
      if (!(thrown instanceof Error) || expected(thrown.message)) return;
      world.checkers.fail('nothing throws but what was poisoned', thrown.stack ?? thrown.message);
    },
  };
}

const expected = (message: string): boolean =>
  message.includes(poison) ||
  message.startsWith('as asked') ||
  message.includes('no answer from outside') ||
  message.startsWith('no result within') ||
  message.endsWith('is not known here') ||
  message === 'the store did not answer';
