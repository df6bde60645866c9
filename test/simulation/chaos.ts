/** What goes wrong in a world, and when: drawn from the seed, ended by `heal`. */
import { minutes, seconds } from '../../src/kernel/time.ts';
import { calmWeather, type Weather } from '../../src/store/store-sim.ts';
import { pause } from './client.ts';
import { between, type Chance } from './random.ts';
import type { World } from './world.ts';

/** How hard one seed's world is; each trouble is there or not, so that each is met alone and together. */
export interface Climate {
  readonly weather: Partial<Weather>;
  readonly killEveryMs: number | null;
  readonly awayEveryMs: number | null;
  readonly jumpEveryMs: number | null;
  readonly outsideTrouble: number;
}

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
      stall: some(chance, 0.3, 0.1),
      stallMsMax: seconds(8),
      answerMsMax: between(chance, 300, 5000),
    },
    killEveryMs: chance() < 0.75 ? between(chance, 2000, 15_000) : null,
    awayEveryMs: chance() < 0.3 ? between(chance, 5000, 20_000) : null,
    jumpEveryMs: chance() < 0.3 ? between(chance, 3000, 15_000) : null,
    outsideTrouble: some(chance, 0.5, 0.4),
  };
}

/** Troubles the world until `over()`. */
export function trouble(world: World, climate: Climate, over: () => boolean): void {
  Object.assign(world.store.weather, climate.weather);
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
    world.process?.scheduler.jump(by);
  });
}

/** Ends all trouble. What is on its way still arrives. */
export function heal(world: World): void {
  world.trace('healed');
  Object.assign(world.store.weather, calmWeather);
  world.outsideTrouble = 0;
  world.lateness = 0;
}
