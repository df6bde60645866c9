/** A node's session and its failure detection of other nodes, to the millisecond. */
import { expect, test } from 'vitest';
import { seconds } from '../../../../src/kernel/time.ts';
import { Membership, sessionLifeMs, type DirectoryRead } from '../../../../src/runtime/cluster/membership.ts';
import type { NodeInfo } from '../../../../src/store/directory.ts';
import { DirectoryDisk, simDirectory, type Wire } from '../../../support/simulated/directory-sim.ts';
import { VirtualScheduler, type ProcessScheduler } from '../../../simulation/scheduler.ts';

const info: NodeInfo = {
  name: 'test',
  version: '1',
  actors: true,
  bus: true,
  leaving: false,
  refuses: [],
  schemas: {},
};
const marginMs = 500;

interface Member {
  readonly membership: Membership;
  readonly scheduler: ProcessScheduler;
  readonly deposed: string[];
  readonly looks: DirectoryRead[];
  /** Nothing reaches the directory any more, or nothing comes back. */
  wire: 'stands' | 'cut' | 'deaf';
}

class Cluster {
  readonly scheduler = new VirtualScheduler(1_000_000);
  readonly disk = new DirectoryDisk();

  member(name: string): Member {
    // one name is minted before anything is registered
    let lives = -1;
    const scheduler = this.scheduler.process();
    const wire: Wire = (_what, land) =>
      new Promise((resolve, reject) => {
        if (member.wire === 'cut')
          return void this.scheduler.after(200, () => reject(new Error('no answer')));
        const answer = land();
        if (member.wire === 'deaf')
          return void this.scheduler.after(200, () => reject(new Error('no answer')));
        this.scheduler.after(2, () => scheduler.hold(() => resolve(answer)));
      });
    const member: Member = {
      scheduler,
      deposed: [],
      looks: [],
      wire: 'stands',
      membership: new Membership({
        directory: simDirectory(this.disk, wire, this.scheduler),
        scheduler,
        mint: () => `${name}${++lives}`,
        info: () => info,
        log: { warn: () => undefined, error: () => undefined },
        onRead: (look) => void member.looks.push(look),
        onDeposed: () => void member.deposed.push(member.membership.incarnation),
      }),
    };
    void member.membership.join();
    return member;
  }

  stateOf(inc: string): string | undefined {
    return this.disk.nodes.get(inc)?.state;
  }

  pass(ms: number): Promise<void> {
    return this.scheduler.pass(ms);
  }
}

/** Passes until it is no longer valid; how long that took. */
async function validFor(cluster: Cluster, { membership }: Member): Promise<number> {
  const from = cluster.scheduler.now();
  while (membership.valid && cluster.scheduler.now() < from + seconds(20)) await cluster.pass(1);
  return cluster.scheduler.now() - from;
}

test('a session ends `sessionLifeMs` less a margin after the sending of the last acknowledged heartbeat', async () => {
  const cluster = new Cluster();
  const one = cluster.member('a');
  expect(one.membership.valid).toBe(false);
  await cluster.pass(10);
  expect(one.membership.valid).toBe(true);
  // the beat of this very moment is sent and lands, but its answer never comes: it counts for nothing
  one.wire = 'deaf';
  const left = await validFor(cluster, one);
  expect(left).toBeLessThanOrEqual(sessionLifeMs - marginMs);
  expect(left).toBeGreaterThan(sessionLifeMs - marginMs - 1000);
});

test('it resumes with the next acknowledged heartbeat, as the same node, and waiting callers continue', async () => {
  const cluster = new Cluster();
  const one = cluster.member('a');
  await cluster.pass(10);
  one.wire = 'cut';
  await cluster.pass(seconds(15));
  expect(one.membership.valid).toBe(false);
  let resumed = false;
  void one.membership.whenValid().then(() => {
    resumed = true;
  });
  one.wire = 'stands';
  await cluster.pass(seconds(2));
  expect(resumed).toBe(true);
  expect(one.membership.incarnation).toBe('a1');
  expect(one.deposed).toEqual([]);
});

test('no node is declared dead before its own session has ended, and then soon after', async () => {
  const cluster = new Cluster();
  const [one, other] = [cluster.member('a'), cluster.member('b')];
  await cluster.pass(seconds(3));
  one.wire = 'cut';
  const left = await validFor(cluster, one);
  expect(cluster.stateOf('a1')).toBe('live');
  await cluster.pass(sessionLifeMs + seconds(2) - left);
  expect(cluster.stateOf('a1')).toBe('dead');
  expect(other.membership.nodes.find(({ inc }) => inc === 'a1')?.state).toBe('dead');
});

test('a node that is paused for 4 s, at whatever moment, is not declared dead', async () => {
  for (let ms = 0; ms < 1000; ms += 50) {
    const cluster = new Cluster();
    const [one, other] = [cluster.member('a'), cluster.member('b')];
    await cluster.pass(seconds(3) + ms);
    one.scheduler.freeze(seconds(4));
    await cluster.pass(seconds(12));
    expect([cluster.stateOf('a1'), cluster.stateOf('b1')]).toEqual(['live', 'live']);
    expect([...one.deposed, ...other.deposed]).toEqual([]);
  }
});

test('a node that was declared dead drops everything and returns under a new incarnation', async () => {
  const cluster = new Cluster();
  const [one] = [cluster.member('a'), cluster.member('b')];
  await cluster.pass(seconds(3));
  one.scheduler.freeze(seconds(20));
  await cluster.pass(seconds(19));
  expect(cluster.stateOf('a1')).toBe('dead');
  await cluster.pass(seconds(3));
  expect(one.deposed).toEqual(['a1']);
  expect(one.membership.incarnation).toBe('a2');
  expect(one.membership.valid).toBe(true);
  expect(cluster.stateOf('a1')).toBe('dead');
});

test('a node that could not read the directory for a while declares no node dead for that time', async () => {
  const cluster = new Cluster();
  const [one, other] = [cluster.member('a'), cluster.member('b')];
  await cluster.pass(seconds(3));
  [one.wire, other.wire] = ['cut', 'cut'];
  await cluster.pass(seconds(15));
  [one.wire, other.wire] = ['stands', 'stands'];
  await cluster.pass(seconds(10));
  expect([cluster.stateOf('a1'), cluster.stateOf('b1')]).toEqual(['live', 'live']);
  expect([...one.deposed, ...other.deposed]).toEqual([]);
});

test('a wall clock that jumps by more than a second ends the session at once', async () => {
  for (const by of [-1001, 1001]) {
    const cluster = new Cluster();
    const one = cluster.member('a');
    await cluster.pass(10);
    one.scheduler.jump(by > 0 ? 1000 : -1000);
    expect(one.membership.valid).toBe(true);
    one.scheduler.jump(Math.sign(by));
    expect(one.membership.valid).toBe(false);
    // close enough to the database's clock: it goes on by the new one
    await cluster.pass(seconds(2));
    expect(one.membership.valid).toBe(true);
  }
});

test('a clock that differs too much from the database’s excludes the node until it is corrected', async () => {
  const cluster = new Cluster();
  const one = cluster.member('a');
  await cluster.pass(10);
  one.scheduler.jump(seconds(60));
  await cluster.pass(seconds(30));
  expect(one.membership.valid).toBe(false);
  one.scheduler.setRight();
  await cluster.pass(seconds(2));
  expect(one.membership.valid).toBe(true);
});

test('a node that leaves is dead at once, without a wait', async () => {
  const cluster = new Cluster();
  const one = cluster.member('a');
  await cluster.pass(10);
  void one.membership.leave();
  await cluster.pass(5);
  expect(cluster.stateOf('a1')).toBe('dead');
  expect(one.membership.valid).toBe(false);
});
