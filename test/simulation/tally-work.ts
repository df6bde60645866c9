/** Clients that drive tallies: adds, refusals, tells, effects, timers, poison, reads. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { EffectContext } from '../../src/runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import { seconds } from '../../src/kernel/time.ts';
import { insist, pause, type Order } from './client.ts';
import { between, oneOf } from './random.ts';
import { poison, tallyAt, type RingMode, type TallyCommands } from './tally.ts';
import { loud } from './tally-next.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

export const tallyScope: Scope = 'prj_aa00000000000000000000aa:live';

export const tallyId = (n: number): string => `tly_a${n}00000000000000000000${n}${n}`;

/** What a client may do next, as often as it is named here. */
const moves = [
  'add',
  'add',
  'add',
  'addIfOdd',
  'addIfOdd',
  'explode',
  'pass',
  'pass',
  'passIfOdd',
  'passIfOdd',
  'ringAgain',
  'ringOnce',
  'ringOnce',
  'ringLook',
  'ringLook',
  'wait',
  'postpone',
  'postpone',
  'read',
  'read',
  'list',
  'readTwice',
  'lateCopy',
  'lateCopy',
] as const;
type Move = (typeof moves)[number];

export interface TallyWork {
  readonly client: string;
  readonly tallies: number;
  readonly moves: number;
  readonly pauseMsMax: number;
  readonly poisoned: number;
  /** Some of what it says is loud. */
  readonly loud?: boolean;
}

export async function tallyClient(world: World, work: TallyWork): Promise<void> {
  const { chance } = world;
  for (let n = 0; n < work.tallies; n++) {
    const identity = { from: `k:open.${work.client}.${n}`, seq: 1, done: 0 };
    await insist(world, {
      to: tallyAt(tallyId(n)),
      command: 'open',
      data: {},
      by: 'merchant',
      scope: tallyScope,
      identity,
    });
  }
  const sent: Order[] = [];
  // how far behind it says what it has settled: until then a late copy must meet its outcome
  const lag = between(chance, 0, 4);
  for (let n = 0; n < work.moves; n++) {
    await pause(world, between(chance, 0, work.pauseMsMax));
    const id = tallyId(Math.floor(chance() * work.tallies));
    const other = tallyId(Math.floor(chance() * work.tallies));
    const spoken = work.loud === true && n % 4 === 0 ? loud : '';
    const op = `${work.client}.${n}${chance() < work.poisoned ? poison : ''}${spoken}`;
    const move = oneOf(chance, moves);
    if (move === 'read') await world.read(tallyAt(id), tallyScope);
    else if (move === 'readTwice') await readTwice(world, id);
    else if (move === 'list') await world.list('tally', tallyScope);
    else if (move === 'lateCopy') lateCopy(world, sent);
    else {
      const keyed =
        chance() < 0.6 ? { from: `k:${work.client}`, seq: n + 1, done: Math.max(0, n - lag) } : null;
      const order = orderOf(world, id, move, op, other);
      if (keyed !== null) sent.push({ ...order, identity: keyed });
      await insist(world, keyed === null ? order : { ...order, identity: keyed });
    }
  }
}

/** Through one door, then at once through every other. */
async function readTwice(world: World, id: string): Promise<void> {
  await world.read(tallyAt(id), tallyScope);
  const doors = world.processes.filter(({ serving }) => serving);
  await Promise.all(doors.map((process) => world.readFrom(process, tallyAt(id), tallyScope)));
}

export const hermitId = tallyId(9);
export const mayflyPrefix = 'tly_m';

/** A tally nobody but one changes, and seldom; it is looked at through all doors all the time. */
export async function hermit(world: World, changes: number): Promise<void> {
  const id = hermitId;
  const order = { to: tallyAt(id), by: 'merchant', scope: tallyScope } as const;
  const identity = { from: 'k:open.hermit', seq: 1, done: 0 };
  await insist(world, { ...order, command: 'open', data: {}, identity });
  for (let n = 0; n < changes; n++) {
    await world.ask(order.to, 'add', { op: `hermit.${n}` }, { ...order, waitMs: 500 });
    for (let looks = between(world.chance, 5, 25); looks > 0; looks--) {
      await pause(world, between(world.chance, 200, 1500));
      // an answer that changes nothing: only its truth counts
      if (world.chance() < 0.5) await world.ask(order.to, 'open', {}, { ...order, waitMs: 500 });
      await readTwice(world, id);
    }
  }
}

/** The number of a mayfly's last command. */
const deletedAs = 9;

/** Clients of a tally that lives for a while and is deleted: nothing of it ever comes back. */
export async function mayfly(world: World, name: string, pauseMsMax: number): Promise<void> {
  const to = tallyAt(`${mayflyPrefix}${name.padEnd(23, '0')}`);
  const say = async (n: number, command: keyof TallyCommands, data: Json): Promise<unknown> =>
    insist(world, {
      to,
      command,
      data,
      by: 'merchant',
      scope: tallyScope,
      identity: { from: `k:mayfly.${name}`, seq: n, done: n - 1 },
    });
  await say(1, 'open', {});
  for (let n = 2; n < deletedAs - 1; n++) {
    await pause(world, between(world.chance, 0, pauseMsMax));
    await say(n, 'add', { op: `mayfly.${name}.${n}` });
  }
  // its last tell is answered after it is gone: a commit must clear it
  await say(deletedAs - 1, 'pass', { op: `mayfly.${name}.last`, to: to.id });
  await say(deletedAs, 'remove', {});
  await world.read(to, tallyScope);
}

/** A copy that the network delayed; its caller no longer waits. */
function lateCopy(world: World, sent: readonly Order[]): void {
  const copy = sent[Math.floor(world.chance() * sent.length)];
  if (copy === undefined) return;
  const { to, command, data, by, scope, identity } = copy;
  void world.ask(to, command, data, {
    by,
    scope,
    again: true,
    ...(identity === undefined ? {} : { identity }),
  });
}

function orderOf(
  world: World,
  id: string,
  move: Exclude<Move, 'read' | 'readTwice' | 'list' | 'lateCopy'>,
  op: string,
  other: string,
): Order {
  const { chance } = world;
  const orders: { readonly [M in typeof move]: readonly [keyof TallyCommands, Json] } = {
    add: ['add', { op }],
    addIfOdd: ['addIfOdd', { op }],
    explode: ['explode', { op }],
    pass: ['pass', { op, to: other }],
    passIfOdd: ['passIfOdd', { op, to: other }],
    ringAgain: ['ring', { op, mode: 'again' }],
    ringOnce: ['ring', { op, mode: 'once' }],
    ringLook: ['ring', { op, mode: 'look' }],
    wait: ['wait', { op, ms: between(chance, 1, seconds(20)) }],
    postpone: ['postpone', { op, ms: between(chance, 1, 800) }],
  };
  const [command, data] = orders[move];
  return { to: tallyAt(id), command, data, by: 'merchant', scope: tallyScope };
}

/** The bells of tallies: on the other side somebody counts. */
export const bells = (world: World, self: () => Process): EffectRunners => {
  const bell = (mode: RingMode) => ({
    // so few that some always wait where they are stored
    atOnce: 1,
    waitingMax: 1,
    run: ({ op }: { readonly op: string }, context: EffectContext) => {
      world.began(self(), `bell.${mode}`, context);
      return world.outside(self(), () => ({ op, answer: `rung ${world.ledger.ring(op, mode)}` }));
    },
  });
  return { 'bell.once': bell('once'), 'bell.again': bell('again'), 'bell.look': bell('look') };
};
