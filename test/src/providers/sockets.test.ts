import { beforeEach, describe, expect, test } from 'vitest';
import type { SessionCommands } from '../../../actors/checkout-session/commands.ts';
import type { Scheduler } from '../../../src/kernel/time.ts';
import type { SocketEvents } from '../../../src/outbound/web-socket.ts';
import {
  hintsMax,
  leaseMs,
  messagesMax,
  ProviderSockets,
  type Listened,
} from '../../../src/providers/sockets.ts';
import { qrA } from '../../../src/providers/qr-a/qr-a.ts';

const of: Listened = {
  scope: 'prj_1:sandbox',
  sessionId: 'cs_1',
  paymentId: 'pay_1',
  provider: 'qr_a',
  reference: 'pay-1',
  url: 'ws://qr/ws/pay-1',
};

interface Opened extends SocketEvents {
  readonly at: number;
  readonly url: string;
  closedByUs: boolean;
}

/** Time that moves when the test says so. */
class Hand implements Scheduler {
  private at = 0;
  private jobs: { at: number; work: () => void }[] = [];
  now = (): number => this.at;
  steady = (): number => this.at;
  after(delay: number, work: () => void) {
    const job = { at: this.at + delay, work };
    this.jobs.push(job);
    return () => void (this.jobs = this.jobs.filter((one) => one !== job));
  }
  pass(ms: number): void {
    const until = this.at + ms;
    for (;;) {
      const next = this.jobs.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.jobs = this.jobs.filter((one) => one !== next);
      this.at = next.at;
      next.work();
    }
    this.at = until;
  }
}

let clock: Hand;
let opened: Opened[];
let hints: SessionCommands['hint'][];
let warned: string[];
let sockets: ProviderSockets;

beforeEach(() => {
  clock = new Hand();
  [opened, hints, warned] = [[], [], []];
  const log = { warn: (_: object, says: string) => void warned.push(says), error: () => {} };
  sockets = new ProviderSockets({
    open(url, events) {
      const one: Opened = { ...events, at: clock.now(), url, closedByUs: false };
      opened.push(one);
      return () => {
        one.closedByUs = true;
        events.closed();
      };
    },
    adapter: () => qrA,
    address: (_scope, _provider, url) => url,
    hint: async (_to, hint) => void hints.push(hint),
    scheduler: clock,
    log,
  });
});

const last = (): Opened => opened.at(-1) ?? expect.unreachable('a socket was opened');
const outer = (inner: object): string => JSON.stringify({ transactionStatus: JSON.stringify(inner) });
const scan = outer({ success: true, QRVerified: true });
const paid = outer({ paymentSuccess: true, productNumber: 'pay-1' });

describe('a message', () => {
  test('becomes a hint: the scan once, money each time, never a result', () => {
    sockets.listen(of);
    for (const message of [scan, scan, paid, 'noise', paid]) last().message(message);
    expect(hints.map(({ from, says, verified }) => [from, says, verified])).toEqual([
      ['scan', 'unknown', false],
      ['socket', 'paid', false],
      ['socket', 'paid', false],
    ]);
  });

  test('about the same scan from a reopened socket is the same scan', () => {
    sockets.listen(of);
    last().message(scan);
    last().closed();
    clock.pass(1000);
    last().message(scan);
    expect(hints).toHaveLength(1);
  });

  test('is bounded: so many hints, then so many messages, then the socket is closed', () => {
    sockets.listen(of);
    for (let n = 0; n < messagesMax + 5; n++) last().message(paid);
    expect(hints).toHaveLength(hintsMax);
    expect([last().closedByUs, warned.length]).toEqual([true, 1]);
    clock.pass(10_000);
    sockets.listen(of);
    expect(opened).toHaveLength(1);
  });
});

describe('a socket that closes', () => {
  test('is opened again after 1, 2 and 4 s, then given up', () => {
    sockets.listen(of);
    for (let n = 0; n < 6; n++) {
      last().closed();
      clock.pass(5000);
      sockets.listen(of);
    }
    expect(opened.map(({ at }, n) => at - (opened[n - 1]?.at ?? 0))).toEqual([
      0,
      1000,
      5000 + 2000 - 1000,
      5000 + 4000 - 2000,
    ]);
  });

  test('sends nothing any more', () => {
    sockets.listen(of);
    const first = last();
    first.closed();
    clock.pass(1000);
    first.message(paid);
    first.closed();
    expect([hints, opened.length]).toEqual([[], 2]);
  });
});

describe('polling keeps sockets open', () => {
  test('each poll renews; a socket that is no longer polled is closed', () => {
    sockets.listen(of);
    for (let n = 0; n < 30; n++) {
      clock.pass(3000);
      sockets.listen(of);
    }
    expect([opened.length, sockets.size]).toEqual([1, 1]);
    clock.pass(leaseMs * 1.5);
    expect([last().closedByUs, sockets.size]).toEqual([true, 0]);
  });

  test('a dropped socket is closed and not opened again', () => {
    sockets.listen(of);
    sockets.drop(of.paymentId);
    clock.pass(60_000);
    expect([last().closedByUs, opened.length, sockets.size]).toEqual([true, 1, 0]);
  });

  test('after stop everything is closed and nothing is opened', () => {
    sockets.listen(of);
    last().closed();
    sockets.stop();
    sockets.listen({ ...of, paymentId: 'pay_2' });
    clock.pass(60_000);
    expect([opened.length, sockets.size]).toEqual([1, 0]);
  });
});
