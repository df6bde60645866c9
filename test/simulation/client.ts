/** A client that retries: asks, and asks again as docs/architecture.md describes. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Address, Scope } from '../../src/runtime/model/address.ts';
import type { AskResult, Identity } from '../../src/runtime/model/envelope.ts';
import type { Sender } from '../../src/runtime/model/actor.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import { between } from './random.ts';
import type { World } from './world.ts';

export interface Order {
  readonly to: Address;
  readonly command: string;
  readonly data: Json;
  readonly by: Sender;
  readonly scope: Scope | null;
  /** With an identity an `unknown` is asked again, without one it stays unknown. */
  readonly identity?: Identity;
}

const copiesMax = 60;

export const pause = (world: World, ms: DurationMs): Promise<void> =>
  new Promise((resolve) => {
    world.scheduler.after(ms, resolve);
  });

/** Asks until there is a definite answer; the last result otherwise. */
export async function insist(world: World, order: Order): Promise<AskResult> {
  const { to, command, data, by, scope, identity } = order;
  let result: AskResult = { is: 'unknown' };
  let again = false;
  for (let copies = 0; copies < copiesMax; copies++) {
    const waitMs = world.chance() < 0.3 ? between(world.chance, 20, 400) : seconds(10);
    result = await world.ask(to, command, data, {
      by,
      scope,
      waitMs,
      shows: true,
      ...(identity === undefined ? {} : { identity }),
      ...(again ? { again } : {}),
    });
    if (result.is === 'unknown' && identity === undefined) return result;
    if (result.is !== 'unknown' && result.is !== 'not_executed') return result;
    again ||= result.is === 'unknown';
    await pause(world, between(world.chance, 10, 100 * Math.min(copies + 2, 20)));
  }
  return result;
}
