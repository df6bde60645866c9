/** What goes wrong in a world, and when: drawn from the seed, ended by `heal`. */
import { minutes, seconds } from '../../src/kernel/time.ts';
import { calmWires, type Wires } from './bus-sim.ts';
import { calmWeather, type Weather } from '../support/simulated/store-sim-weather.ts';
import { pause } from './client.ts';
import { between, type Chance } from './random.ts';
import { hermitId, mayflyPrefix } from './tally-work.ts';
import { usualLateness, type World } from './world.ts';

/** How hard one seed's world is; each trouble is there or not, so that each is met alone and together. */
export interface Climate {
  readonly weather: Partial<Weather>;
  readonly killEveryMs: number | null;
  readonly awayEveryMs: number | null;
  readonly jumpEveryMs: number | null;
  readonly fullEveryMs: number | null;
  readonly stuckEveryMs: number | null;
  readonly outsideTrouble: number;
  /** In a cluster: one process stands still, is cut off from the others, or from the store. */
  readonly freezeEveryMs: number | null;
  readonly busCutEveryMs: number | null;
  readonly storeCutEveryMs: number | null;
  readonly haunted: Haunted | null;
  readonly wires: Wires;
}

/** Processes that die with a change of one kind of actor on the wire, which lands long after. */
export interface Haunted {
  /** Of the actors' ids. */
  readonly prefix: string;
  readonly everyMs: number;
  readonly lateMsMin: number;
  readonly lateMsMax: number;
}

/** After a takeover, before the new owner has written; or after a burial, when the tombstone is gone too. */
const takeover = { prefix: hermitId, everyMs: 6000, lateMsMin: 8000, lateMsMax: 25_000 };
const burial = {
  prefix: mayflyPrefix,
  everyMs: 3000,
  lateMsMin: seconds(160),
  lateMsMax: seconds(330),
};

function hauntedOf(chance: Chance): Haunted | null {
  const luck = chance();
  return luck < 0.1 ? takeover : luck < 0.15 ? burial : null;
}

/** How long and how often waits end late while the event loop is behind. */
const stuckLateness = { often: 0.95, msMax: seconds(3) };

const some = (chance: Chance, often: number, value: number): number =>
  chance() < often ? value * chance() : 0;

export function climateOf(chance: Chance): Climate {
  return {
    weather: {
      latencyMsMax: between(chance, 3, 60),
      silent: some(chance, 0.4, 0.15),
      lost: some(chance, 0.4, 0.15),
      late: some(chance, 0.4, 0.1),
      lateMsMax: seconds(between(chance, 1, 40)),
      cut: some(chance, 0.4, 0.5),
      refused: some(chance, 0.3, 0.1),
      stall: some(chance, 0.3, 0.1),
      stallMsMax: seconds(8),
      answerMsMax: between(chance, 300, 5000),
    },
    killEveryMs: chance() < 0.75 ? between(chance, 2000, 15_000) : null,
    awayEveryMs: chance() < 0.3 ? between(chance, 5000, 20_000) : null,
    jumpEveryMs: chance() < 0.3 ? between(chance, 3000, 15_000) : null,
    fullEveryMs: chance() < 0.3 ? between(chance, 5000, 20_000) : null,
    stuckEveryMs: chance() < 0.2 ? between(chance, 5000, 20_000) : null,
    outsideTrouble: some(chance, 0.5, 0.4),
    freezeEveryMs: null,
    busCutEveryMs: null,
    storeCutEveryMs: null,
    haunted: null,
    wires: calmWires,
  };
}

const calmClimate: Climate = {
  weather: { tombstoneMs: seconds(150) },
  killEveryMs: null,
  awayEveryMs: null,
  jumpEveryMs: null,
  fullEveryMs: null,
  stuckEveryMs: null,
  outsideTrouble: 0,
  freezeEveryMs: null,
  busCutEveryMs: null,
  storeCutEveryMs: null,
  haunted: null,
  wires: calmWires,
};

/** What only several processes can meet, on top of the rest. */
export function clusterClimateOf(chance: Chance): Climate {
  const climate = climateOf(chance);
  const haunted = hauntedOf(chance);
  // what is in doubt there lies between few: any other trouble hides it more often than not
  if (haunted !== null && chance() < 0.8) return { ...calmClimate, haunted };
  return {
    ...climate,
    ...troubleBetween(chance),
    haunted,
    weather: { ...climate.weather, ...membersOf(chance) },
  };
}

/** The members of a replica set: behind, cut off, late; a driver that sends again. */
const membersOf = (chance: Chance): Partial<Weather> => ({
  behindMsMax: between(chance, 100, 4000),
  forkedMsMax: between(chance, 0, 3000),
  repeated: some(chance, 0.5, 1),
  repeatedMsMax: minutes(1),
  ancientMsMax: minutes(5),
  tombstoneMs,
});

/** Longer than any creation is on its way here; a day in a real cluster. */
const tombstoneMs = seconds(150);

const troubleBetween = (chance: Chance) => ({
  freezeEveryMs: chance() < 0.5 ? between(chance, 3000, 20_000) : null,
  busCutEveryMs: chance() < 0.4 ? between(chance, 5000, 20_000) : null,
  storeCutEveryMs: chance() < 0.4 ? between(chance, 5000, 20_000) : null,
  wires: {
    latencyMsMax: between(chance, 1, 40),
    lost: some(chance, 0.4, 0.1),
    // longer than a caller waits before it retries
    late: some(chance, 0.4, 0.3),
    lateMsMax: seconds(5),
  },
});

/** Troubles the world until `over()`. */
export function trouble(world: World, climate: Climate, over: () => boolean): void {
  Object.assign(world.store.weather, climate.weather);
  Object.assign(world.hub.wires, climate.wires);
  world.outsideTrouble = climate.outsideTrouble;
  const { chance } = world;
  const every = async (ms: number | null, strike: () => void): Promise<void> => {
    while (ms !== null) {
      await pause(world, between(chance, 1, 2 * ms));
      if (over()) return;
      strike();
    }
  };
  void every(climate.killEveryMs, () => {
    const back = between(chance, 0, 2000);
    if (chance() < 0.1) void world.stop(back);
    else world.kill(back);
  });
  void every(climate.awayEveryMs, () => {
    world.trace('the store is away');
    world.store.weather.awayUntil = world.scheduler.now() + between(chance, 500, 15_000);
  });
  void every(climate.jumpEveryMs, () => {
    const by = between(chance, -seconds(90), minutes(3));
    world.trace(`the wall clock jumps by ${by}`);
    world.jumped = true;
    world.oneOf(world.processes)?.scheduler.jump(by);
  });
  void every(climate.freezeEveryMs, () => world.freeze(between(chance, 500, 60_000)));
  void every(climate.busCutEveryMs, () => world.cutBus(between(chance, 500, 30_000)));
  void every(climate.storeCutEveryMs, () => world.cutStore(between(chance, 500, 30_000)));
  const { haunted } = climate;
  void every(haunted?.everyMs ?? null, () => {
    if (haunted === null) return;
    const late = between(chance, haunted.lateMsMin, haunted.lateMsMax);
    world.killSending(haunted.prefix, late, between(chance, 500, 5000));
  });
  void every(climate.fullEveryMs, () => {
    world.trace('the disk is full');
    world.store.weather.fullUntil = world.scheduler.now() + between(chance, 500, 10_000);
  });
  void every(climate.stuckEveryMs, () => {
    world.trace('the event loop is behind');
    world.lateness = stuckLateness;
    world.scheduler.after(between(chance, 500, 5000), () => {
      if (!over()) world.lateness = usualLateness;
    });
  });
}

/** Ends all trouble. What is on its way still arrives. */
export function heal(world: World): void {
  world.trace('healed');
  Object.assign(world.store.weather, calmWeather);
  Object.assign(world.hub.wires, calmWires);
  world.reconnect();
  world.store.interception.before = () => 'land';
  world.outsideTrouble = 0;
  world.lateness = { often: 0, msMax: 0 };
}
