/** Messages lost by core NATS are not delivered again: a lost ask, or a lost answer, costs about a second, and is executed
 *  once all the same. */
import { describe, expect, test, vi } from 'vitest';
import { unansweredMsMin } from '../../src/runtime/node/command-router.ts';
import type { AskResult, Envelope } from '../../src/runtime/model/envelope.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import { pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { otherThan, ownerOf } from './homes.ts';
import { tallyAt } from './tally.ts';
import { tallyId, tallyScope } from './tally-work.ts';
import { entriesOf, keyed, opened } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const a = tallyId(0);
const merchant = { by: 'merchant', scope: tallyScope } as const;
/** Of the copy that is lost, and of what follows. */
const aboutASecond: DurationMs = unansweredMsMin + 200;

interface Lost {
  questions: number;
  answers: number;
}

/** From now on the wire loses so many of the copies of this command, and of the answers to them. */
function loses(world: World, command: string, lost: Lost): readonly Envelope[] {
  const seen: Envelope[] = [];
  world.hub.interception.question = (envelope) => {
    if (envelope.command !== command) return 'arrives';
    seen.push(envelope);
    return lost.questions-- > 0 ? 'is lost' : 'arrives';
  };
  world.hub.interception.answer = (envelope) =>
    envelope.command === command && lost.answers-- > 0 ? 'is lost' : 'arrives';
  return seen;
}

/** Asks through a door of a node that does not own it; how it ended, and after how long. */
async function asks(
  world: World,
  command: string,
  data: { readonly [key: string]: string },
  isKeyed: boolean,
): Promise<readonly [AskResult, DurationMs]> {
  const other = otherThan(world, ownerOf(world, a));
  const from = world.scheduler.now();
  const asking = { ...merchant, ...(isKeyed ? { identity: keyed(`${command}.${data['op'] ?? ''}`) } : {}) };
  const result = await world.askFrom(other, tallyAt(a), command, data, asking);
  return [result, world.scheduler.now() - from];
}

describe.each([
  ['with a key', true],
  ['without a key', false],
])('a command %s', (_name, isKeyed) => {
  test.each([
    ['question', { questions: 1, answers: 0 }],
    ['answer', { questions: 0, answers: 1 }],
  ])('whose %s is lost is executed once, and answered after a second', async (_what, lost) => {
    for (let seed = 1; seed <= 3; seed++)
      await inWorld({ seed, nodes: 3 }, async (world) => {
        await opened(world, a);
        const copies = loses(world, 'add', { ...lost });
        const [result, tookMs] = await asks(world, 'add', { op: 'one' }, isKeyed);
        expect(result).toMatchObject({ is: 'ok', detail: { place: 0 } });
        expect(tookMs).toBeGreaterThanOrEqual(unansweredMsMin);
        expect(tookMs).toBeLessThan(aboutASecond);
        expect(entriesOf(world, a)).toEqual(['one']);
        expect(copies).toHaveLength(2);
      });
  });

  test('is executed once however many of its answers are lost, and of its copies in between', async () => {
    await inWorld({ nodes: 3 }, async (world) => {
      await opened(world, a);
      const copies = loses(world, 'add', { questions: 1, answers: 2 });
      const [result, tookMs] = await asks(world, 'add', { op: 'one' }, isKeyed);
      expect(result).toMatchObject({ is: 'ok', detail: { place: 0 } });
      expect([copies.length, tookMs < seconds(5)]).toEqual([4, true]);
      expect(entriesOf(world, a)).toEqual(['one']);
    });
  });

  test('whose answers are all lost is unknown at its deadline, and sent a bounded number of times', async () => {
    await inWorld({ nodes: 3 }, async (world) => {
      await opened(world, a);
      const copies = loses(world, 'add', { questions: 0, answers: Infinity });
      const [result, tookMs] = await asks(world, 'add', { op: 'one' }, isKeyed);
      expect([result, copies.length]).toEqual([{ is: 'unknown' }, 5]);
      expect(tookMs).toBeLessThan(seconds(10.2));
      expect(entriesOf(world, a)).toEqual(['one']);
    });
  });

  test('whose owner dies before it answers is answered by the next owner, from the stored outcome', async () => {
    await inWorld({ nodes: 3 }, async (world) => {
      await opened(world, a);
      const owner = ownerOf(world, a);
      loses(world, 'add', { questions: 0, answers: 1 });
      const asked = asks(world, 'add', { op: 'one' }, isKeyed);
      await until(world, (doc) => doc('tally', a)?.v === 2);
      world.kill(null, owner);
      const [result, tookMs] = await asked;
      expect(result).toMatchObject({ is: 'ok', detail: { place: 0 } });
      expect(tookMs).toBeLessThan(seconds(9));
      expect(entriesOf(world, a)).toEqual(['one']);
    });
  });
});

test('a wait for an owner ends when the partition has another owner', async () => {
  await inWorld({ nodes: 3 }, async (world) => {
    await opened(world, a);
    const [owner, other] = [ownerOf(world, a), otherThan(world, ownerOf(world, a))];
    // the third copy goes after 2.5 s and would be waited for until 4.75 s
    const copies = loses(world, 'add', { questions: 3, answers: 0 });
    const from = world.scheduler.now();
    const asked = world.askFrom(other, tallyAt(a), 'add', { op: 'one' }, merchant);
    await until(world, () => copies.length === 3);
    await world.stop(500, owner);
    expect(await asked).toMatchObject({ is: 'ok', detail: { place: 0 } });
    expect(world.scheduler.now() - from).toBeLessThan(seconds(4));
    expect(entriesOf(world, a)).toEqual(['one']);
  });
});

test('a first copy that arrives after the second was refused gets that refusal', async () => {
  await inWorld({ nodes: 3 }, async (world) => {
    await opened(world, a);
    let copies = 0;
    world.hub.interception.question = ({ command }) =>
      command === 'addIfOdd' && ++copies === 1 ? { lateMs: seconds(4) } : 'arrives';
    const [refused] = await asks(world, 'addIfOdd', { op: 'late' }, false);
    expect(refused).toMatchObject({ is: 'refused' });
    // it would succeed by now; its own node says nothing meanwhile, so that only what is stored can stop it
    await world.askFrom(ownerOf(world, a), tallyAt(a), 'add', { op: 'one' }, merchant);
    await pause(world, seconds(6));
    expect([copies, entriesOf(world, a)]).toEqual([2, ['one']]);
  });
});

test('a late refusal of the first copy is not trusted while a second one may succeed', async () => {
  await inWorld({ nodes: 3 }, async (world) => {
    await opened(world, a);
    let [copies, answers] = [0, 0];
    world.hub.interception.question = ({ command }) =>
      command === 'addIfOdd' && ++copies === 2 ? { lateMs: 800 } : 'arrives';
    world.hub.interception.answer = ({ command }) =>
      command === 'addIfOdd' && ++answers === 1 ? { lateMs: seconds(1.2) } : 'arrives';
    const asked = asks(world, 'addIfOdd', { op: 'second' }, false);
    await pause(world, 500);
    await asks(world, 'add', { op: 'one' }, false);
    expect((await asked)[0]).toMatchObject({ is: 'ok', detail: { place: 1 } });
    expect(entriesOf(world, a)).toEqual(['one', 'second']);
  });
});

test('a tell whose answers are lost twice is executed once', async () => {
  await inWorld({ nodes: 3 }, async (world) => {
    const ids = ['tly_00', 'tly_80', 'tly_h0', 'tly_z0'].map((start) => start.padEnd(28, '0'));
    const b = ids.find((id) => ownerOf(world, id) !== ownerOf(world, a));
    if (b === undefined) throw new Error('one that lives elsewhere');
    await opened(world, a, b);
    const copies = loses(world, 'receive', { questions: 1, answers: 1 });
    const [passed] = await asks(world, 'pass', { op: 'one', to: b }, true);
    expect(passed).toMatchObject({ is: 'ok' });
    await pause(world, seconds(5));
    expect([copies.length, entriesOf(world, b)]).toEqual([3, [`received:one:tally/${a}`]]);
  });
});
