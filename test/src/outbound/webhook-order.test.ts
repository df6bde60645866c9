/** Order per object at an endpoint that fails at random, on the test clock. */
import { expect, test } from 'vitest';
import { heldMsMax } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { minutes, seconds } from '../../../src/kernel/time.ts';
import { between, chanceOf } from '../../simulation/random.ts';
import { shop, world } from './webhook-world.ts';

const objects = 3;
const steps = 10;

test.each([1, 2])(
  'row 67: events of one object arrive in order unless 60 s passed, whatever fails (seed %i)',
  async (seed) => {
    const chance = chanceOf(seed, 'order');
    const arrivals: { readonly event: string; readonly status: number; readonly at: number }[] = [];
    let failsOf = 1;
    let now = (): number => 0;
    const { url } = await shop(({ headers }) => {
      const status = chance() < failsOf ? between(chance, 500, 501) : 200;
      arrivals.push({ event: String(headers['webhook-id']), status, at: now() });
      return status;
    });
    const { node, scope, openEndpoint, emit, statusIs, advance } = await world();
    now = () => node.client.now(scope);
    const endpoint = await openEndpoint(url);
    const queued: { readonly event: string; readonly objectId: string; readonly at: number }[] = [];
    for (let step = 0; step < steps; step++) {
      failsOf = 0.6;
      const told = Array.from({ length: between(chance, 1, 4) }, () => ({
        objectId: `cs_${between(chance, 1, objects)}`,
      }));
      const at = now();
      for (const [index, event] of (await emit(...told)).entries())
        queued.push({ event, objectId: told[index]?.objectId ?? '', at });
      await advance(seconds(between(chance, 1, 40)));
    }
    failsOf = 0;
    await advance(minutes(60));
    for (const { event } of queued) await statusIs(endpoint, event, 'success');

    let [inOrder, overtaken] = [0, 0];
    for (const [index, { event, at }] of arrivals.entries()) {
      const place = queued.findIndex((one) => one.event === event);
      const own = queued[place];
      const accepted = new Set(
        arrivals.slice(0, index).flatMap((one) => (one.status === 200 ? [one.event] : [])),
      );
      const before = queued.slice(0, place).filter(({ objectId }) => objectId === own?.objectId);
      if (before.every((one) => accepted.has(one.event))) inOrder++;
      else {
        overtaken++;
        expect(at - (own?.at ?? 0), `${event} waited for the earlier ones`).toBeGreaterThanOrEqual(heldMsMax);
      }
    }
    // both have happened, or this proves nothing
    expect(Math.min(inOrder, overtaken)).toBeGreaterThan(5);
    const accepted = arrivals.filter(({ status }) => status === 200).map(({ event }) => event);
    expect(accepted.toSorted()).toEqual(queued.map(({ event }) => event).toSorted());
  },
  30_000,
);
