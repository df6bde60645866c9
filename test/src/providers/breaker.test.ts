import { describe, expect, test } from 'vitest';
import { shareBreakers } from '../../../src/providers/breaker-sharing.ts';
import { Breakers, circuitOf, openMs } from '../../../src/providers/breaker.ts';

const circuit = 'wallet_b';
const timedOut = { call: 'lookup', why: 'timeout' } as const;

/** Makes one call that ends readable or not; says whether it was let through. */
function call(breakers: Breakers, now: number, readable: boolean): boolean {
  const admission = breakers.admit(circuit, now);
  if (admission === 'refused') return false;
  breakers.report(circuit, admission, now, readable ? null : timedOut);
  return true;
}

const calls = (breakers: Breakers, from: number, pattern: string, everyMs = 1000): void =>
  pattern.split('').forEach((sign, at) => void call(breakers, from + at * everyMs, sign === '+'));

describe('it opens', () => {
  test('after five failures in a row, for thirty seconds', () => {
    const breakers = new Breakers();
    calls(breakers, 0, '+----');
    expect(breakers.isOpen(circuit, 5000)).toBe(false);
    call(breakers, 5000, false);
    expect(breakers.isOpen(circuit, 5000)).toBe(true);
    expect(call(breakers, 5000 + openMs - 1, true)).toBe(false);
    expect(breakers.isOpen(circuit, 5000 + openMs)).toBe(false);
  });

  test('when half of the last twenty within a minute failed', () => {
    const breakers = new Breakers();
    calls(breakers, 0, '-+-+-+-+-+-+-+-+-+');
    expect(breakers.isOpen(circuit, 18_000)).toBe(false);
    call(breakers, 18_000, false);
    expect(breakers.isOpen(circuit, 18_000)).toBe(true);
  });

  test('not for failures older than a minute, nor for those before the last twenty', () => {
    const slow = new Breakers();
    calls(slow, 0, '-+-+-+-+-+-+-+-+-+-+-+-+', 6000);
    expect(slow.isOpen(circuit, 140_000)).toBe(false);
    const long = new Breakers();
    calls(long, 0, '-++-++-++-++-++-++-++-++-++-++-++-++', 100);
    expect(long.isOpen(circuit, 4000)).toBe(false);
  });
});

describe('half open', () => {
  const opened = (): Breakers => {
    const breakers = new Breakers();
    calls(breakers, 0, '-----', 0);
    return breakers;
  };

  test('lets exactly one probe through', () => {
    const breakers = opened();
    expect(breakers.admit(circuit, openMs)).toBe('probe');
    expect(breakers.admit(circuit, openMs)).toBe('refused');
    expect(breakers.isOpen(circuit, openMs)).toBe(true);
  });

  test('a probe that is answered closes it, with an empty history', () => {
    const breakers = opened();
    expect(call(breakers, openMs, true)).toBe(true);
    calls(breakers, openMs, '----');
    expect(breakers.isOpen(circuit, openMs + 4000)).toBe(false);
  });

  test('a probe that is not answered opens it for another thirty seconds', () => {
    const breakers = opened();
    expect(call(breakers, openMs, false)).toBe(true);
    expect(call(breakers, 2 * openMs - 1, true)).toBe(false);
    expect(call(breakers, 2 * openMs, true)).toBe(true);
  });

  test('a call from before it opened changes nothing when it ends', () => {
    const breakers = new Breakers();
    const early = breakers.admit(circuit, 0);
    calls(breakers, 0, '-----', 0);
    if (early !== 'refused') breakers.report(circuit, early, 10, null);
    expect(breakers.isOpen(circuit, 10)).toBe(true);
  });
});

describe('other nodes', () => {
  /** Two nodes that notify each other. */
  const two = (): readonly [Breakers, Breakers] => {
    const [here, there] = [new Breakers(), new Breakers()];
    const hears: ((text: string) => void)[] = [];
    for (const [at, breakers] of [here, there].entries())
      shareBreakers(breakers, {
        broadcast: (_topic, text) => hears[1 - at]?.(text),
        onBroadcast: (_topic, hear) => {
          hears[at] = hear;
          return () => undefined;
        },
      });
    return [here, there];
  };

  test('are notified that a circuit opened and do not offer the provider, but make their own calls', () => {
    const [here, there] = two();
    calls(here, 0, '-----', 0);
    expect(there.isOpen(circuit, 0)).toBe(true);
    expect(there.admit(circuit, 0)).toBe('free');
    expect(there.isOpen(circuit, openMs)).toBe(false);
  });

  test('are notified that it closed', () => {
    const [here, there] = two();
    calls(here, 0, '-----', 0);
    call(here, openMs, false);
    expect(there.isOpen(circuit, openMs + 1)).toBe(true);
    call(here, 2 * openMs, true);
    expect(there.isOpen(circuit, 2 * openMs)).toBe(false);
  });

  test('trust their own calls more than a notification', () => {
    const [here, there] = two();
    calls(here, 0, '-----', 0);
    call(there, 1000, false);
    expect(there.isOpen(circuit, 1000)).toBe(true);
    call(there, 2000, true);
    expect(there.isOpen(circuit, 2000)).toBe(false);
    expect(here.isOpen(circuit, 2000)).toBe(true);
  });

  test('ignore notifications with a distant end, and those without news', () => {
    const [here] = two();
    let say: (text: string) => void = () => undefined;
    shareBreakers(here, {
      broadcast: () => undefined,
      onBroadcast: (_topic, hear) => {
        say = hear;
        return () => undefined;
      },
    });
    for (const text of ['', '{}', '[1,2]', '["wallet_b","soon"]', `["${'x'.repeat(201)}",5]`]) say(text);
    say(JSON.stringify([circuit, Number.MAX_SAFE_INTEGER]));
    expect(here.isOpen(circuit, 0)).toBe(false);
  });
});

test('each project has a circuit of its own in each mode', () => {
  expect(circuitOf('wallet_b', 'prj_a:sandbox')).not.toBe(circuitOf('wallet_b', 'prj_b:sandbox'));
  expect(circuitOf('wallet_b', 'prj_a:live')).not.toBe(circuitOf('wallet_b', 'prj_b:live'));
  expect(circuitOf('wallet_b', 'prj_a:live')).not.toBe(circuitOf('wallet_b', 'prj_a:sandbox'));
  const breakers = new Breakers();
  calls(breakers, 0, '-----', 0);
  expect(breakers.admit('wallet_b prj_b:sandbox', 0)).toBe('free');
});
