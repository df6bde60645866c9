/** A claim of an `atMostOnce` effect that never gets an answer: its owner was cut off from the store while it claimed, and
 *  another has taken over. The lane belongs to the process, and must not be kept. */
import { expect, test, vi } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { inWorld, until, writesOf } from './directed.ts';
import { atHome, ownerOf, partitionsOwned } from './homes.ts';
import type { Process } from './process.ts';
import { entriesOf, opened, tell, tellUntilKnown } from './telling.ts';
import type { World } from './world.ts';

/** A busy machine takes its time; nothing here depends on how much. */
vi.setConfig({ testTimeout: 120_000 });

/** Four in each partition. */
const many = Array.from('0123456789abcdefghjkmnpqrstvwxyz', (first) => `tly_${first.padEnd(24, '2')}`);

/** The claim of this tally's bell never lands, and its owner does not reach the store from then on. */
function cutAtClaim(world: World, id: string, owner: Process): { claimed: boolean } {
  const seen = { claimed: false };
  world.store.interception.before = (request) => {
    const claims = writesOf(request, 'tally').some(
      ({ doc }) => doc.id === id && doc.out.some((row) => row.type === 'effect' && row.tries === 1),
    );
    if (!claims || seen.claimed) return 'land';
    seen.claimed = true;
    world.cutStore(seconds(30), owner);
    return 'drop';
  };
  return seen;
}

test('a claim that gets no answer, because another node owns the actor by then, does not block its lane', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    await inWorld({ seed, nodes: 3 }, async (world) => {
      await opened(world, ...many);
      const id = many[seed] ?? '';
      const owner = ownerOf(world, id);
      const first = owner.node.incarnation;
      const seen = cutAtClaim(world, id, owner);
      void tell(world, id, 'ring', { op: 'lost', mode: 'once' });
      await until(world, () => seen.claimed);
      // the new owner finds an unclaimed row, and runs it
      await until(world, () => entriesOf(world, id).some((entry) => entry.startsWith('rung:lost')));
      expect(ownerOf(world, id)).not.toBe(owner);
      await until(world, () => owner.node.incarnation !== first && partitionsOwned(world).includes(owner));
      await until(world, () => atHome(world));
      // bells of one process are one lane of one place
      const theirs = many.filter((one) => one !== id && ownerOf(world, one) === owner);
      expect(theirs.length).toBeGreaterThan(0);
      for (const one of theirs) await tellUntilKnown(world, one, 'ring', { op: one, mode: 'once' }, one);
      await pause(world, seconds(30));
      for (const one of theirs) expect(world.ledger.rings.get(one)?.once).toBe(1);
      expect(world.ledger.rings.get('lost')?.once).toBe(1);
    });
  }
});
