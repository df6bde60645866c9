/** The simulated qr_a's two kinds of socket: one per code, one per merchant.
 *  Boundary: sends a payment's state as messages; the state itself changes elsewhere, on any node.
 *  1. Each socket receives a scan at most once and money at most once (twice under `double_callback`).
 *  2. Client messages are ignored; a socket that is not read is closed.
 *  3. Waits of faults are on the project's clock.
 *  4. Anyone who has seen a code can open both: each code and each merchant has a bounded number of
 *     sockets. */
import type { WebSocket } from 'uWebSockets.js';
import type { Fault, FaultKind } from '../../../actors/simulated-payment/messages.ts';
import {
  realScheduler,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
} from '../../../src/kernel/time.ts';
import { paidMessage, paymentOf, scannedMessage, traceOf } from '../../../src/providers/qr-a/simulator.ts';
import type { SocketApp } from '../../server/framing.ts';
import { StoreUnresponsive } from '../../http/route/reading.ts';
import { ConnectionLimiter } from '../../socketio/connection-limiter.ts';
import {
  isMoney,
  knownPayment,
  spendFault,
  takeFaults,
  askPayment,
  type Known,
  type PlayDeps,
} from '../payments.ts';
import { has } from '../faults.ts';
import { qrARoot } from './qr-a.ts';

const messageBytesMax = 1024;
const unreadBytesMax = 64 * 1024;
/** uWS counts in whole seconds. */
const idleSeconds = 240;
/** How often a wait on the project's clock is checked, in real time. */
const clockLookMs: DurationMs = 100;
const merchantLookMs: DurationMs = seconds(1);
const faultsAgainMs: DurationMs = seconds(1);
/** Sockets per code, and per merchant; our own nodes open one of a code each. */
export const socketsEachMax = 20;
/** How many of the newest payments a merchant's socket reports. */
const merchantPayments = 20;
const secondMessageMs: DurationMs = 50;

interface Line {
  /** From its path: the code of the socket; for a merchant's socket, one of the codes of that merchant's
   *  project. */
  readonly prn: string;
  readonly isMerchant: boolean;
  notifier: Notifier | null;
}

/** Mounts both on the listener's app. */
export function mountQrASockets(deps: PlayDeps, app: SocketApp): void {
  const open = new ConnectionLimiter(socketsEachMax);
  for (const [pattern, isMerchant] of [
    [`${qrARoot}/ws/:prn`, false],
    [`${qrARoot}/ws/m/:code`, true],
  ] as const) {
    app.ws<Line>(pattern, {
      maxPayloadLength: messageBytesMax,
      maxBackpressure: unreadBytesMax,
      closeOnBackpressureLimit: true,
      idleTimeout: idleSeconds,
      upgrade(res, req, context) {
        const prn = isMerchant ? (req.getQuery('of') ?? '') : (req.getParameter(0) ?? '');
        const line: Line = { prn, isMerchant, notifier: null };
        const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
          req.getHeader(`sec-websocket-${name}`),
        );
        res.upgrade(line, key ?? '', protocol ?? '', extensions ?? '', context);
      },
      open(ws) {
        const line = ws.getUserData();
        line.notifier = new Notifier(deps, ws, open);
        void (line.isMerchant ? line.notifier.notifyMerchant(line.prn) : line.notifier.notifyOne(line.prn));
      },
      close(ws) {
        ws.getUserData().notifier?.stop();
      },
    });
  }
}

/** Sends the changes of payments to one socket. */
class Notifier {
  private readonly deps: PlayDeps;
  private readonly ws: WebSocket<Line>;
  private readonly open: ConnectionLimiter;
  private readonly sent = new Set<string>();
  private readonly waiting = new Map<string, Instant>();
  private readonly cancels = new Set<Cancel>();
  private over = false;
  private looking = false;
  private again = false;

  /** `open`: all open sockets, by the topic they follow. */
  constructor(deps: PlayDeps, ws: WebSocket<Line>, open: ConnectionLimiter) {
    this.deps = deps;
    this.ws = ws;
    this.open = open;
  }

  async notifyOne(prn: string): Promise<void> {
    const paymentId = paymentOf(prn);
    const known = await this.known(paymentId);
    if (paymentId === null || known === null || known.state.provider !== 'qr_a') return this.cut();
    if (!this.entered(paymentId)) return this.cut();
    if (has(await this.faults(known), 'socket_drop') !== null) {
      await this.spent(known, 'socket_drop', 'closed');
      return this.cut();
    }
    this.later(this.deps.client.watch(paymentId, () => void this.look(paymentId)));
    await this.look(paymentId);
  }

  async notifyMerchant(prn: string): Promise<void> {
    const scope = (await this.known(paymentOf(prn)))?.scope;
    if (scope === undefined || !this.entered(scope)) return this.cut();
    while (!this.over) {
      const { items } = await this.deps.client
        .list({
          kind: 'simulated_payment',
          scope,
          equals: { provider: 'qr_a' },
          page: 1,
          limit: merchantPayments,
        })
        .catch(() => ({ items: [] }));
      for (const { meta } of items) await this.look(meta.id);
      await this.pause(merchantLookMs);
    }
  }

  stop(): void {
    this.over = true;
    for (const cancel of this.cancels) cancel();
    this.cancels.clear();
  }

  /** One look at a time; notices during it lead to one more. */
  private async look(paymentId: string): Promise<void> {
    this.again = true;
    if (this.looking) return;
    this.looking = true;
    while (this.again && !this.over) {
      this.again = false;
      const known = await this.known(paymentId);
      if (known !== null) await this.sendStatus(known);
    }
    this.looking = false;
  }

  private async sendStatus(known: Known): Promise<void> {
    const { status, handle: prn, amount } = known.state;
    const paid = isMoney(status);
    if (!paid) await this.lie(known);
    if (status === 'created') return;
    if (status === 'opened' || paid) await this.say(known, 'scanned', scannedMessage());
    if (paid) await this.say(known, 'paid', paidMessage({ prn, amount, traceId: traceOf(prn) }));
  }

  /** Reports money that nobody has paid. */
  private async lie(known: Known): Promise<void> {
    const { handle: prn, amount } = known.state;
    const name = `lie ${known.paymentId}`;
    if (this.sent.has(name) || has(await this.faults(known), 'socket_lies') === null) return;
    this.sent.add(name);
    await this.spent(known, 'socket_lies', 'paid: a lie');
    await this.send(known, paidMessage({ prn, amount, traceId: traceOf(prn) }));
  }

  private async say(known: Known, what: 'scanned' | 'paid', message: string): Promise<void> {
    const name = `${what} ${known.paymentId}`;
    if (this.sent.has(name)) return;
    const faults = await this.faults(known);
    const silent =
      what === 'scanned'
        ? (has(faults, 'no_scan') ?? has(faults, 'socket_silent'))
        : has(faults, 'socket_silent');
    if (silent !== null) {
      this.sent.add(name);
      return this.spent(known, silent.kind, `${what}: not sent`);
    }
    const late = has(faults, 'socket_late');
    if (late !== null && !this.isDue(known, name, late)) return;
    if (late !== null) await this.spent(known, 'socket_late', `${what}: late`);
    this.sent.add(name);
    await this.send(known, message);
    if (what !== 'paid' || has(faults, 'double_callback') === null) return;
    await this.spent(known, 'double_callback', 'paid: sent again');
    await this.pause(secondMessageMs);
    await this.send(known, message);
  }

  /** Whether a delayed message is due; if not, another look is scheduled. */
  private isDue({ paymentId, scope }: Known, name: string, { delayMs }: Fault): boolean {
    const now = this.deps.client.now(scope);
    const due = this.waiting.get(name) ?? now + delayMs;
    this.waiting.set(name, due);
    if (now >= due) return true;
    void this.pause(clockLookMs).then(() => this.look(paymentId));
    return false;
  }

  private async send(known: Known, message: string): Promise<void> {
    if (this.over) return;
    this.ws.send(message);
    await this.noted(known, message);
  }

  /** False when the topic has reached its limit of followers. */
  private entered(what: string): boolean {
    const leave = this.open.enter(what);
    if (leave !== null) this.later(leave);
    return leave !== null;
  }

  private cut(): void {
    if (!this.over) this.ws.end(1000);
  }

  private async spent(known: Known, kind: FaultKind, response: string): Promise<void> {
    await spendFault(this.deps.client, known, kind);
    await this.noted(known, response);
  }

  private noted(known: Known, response: string): Promise<unknown> {
    return askPayment(this.deps.client, known, 'record', { call: 'socket', request: '', response });
  }

  /** Nothing is sent before it is known what to send. */
  private async faults(known: Known): Promise<readonly Fault[]> {
    while (!this.over) {
      try {
        return await takeFaults(this.deps, known, 'qr_a', 'socket');
      } catch (thrown) {
        if (!(thrown instanceof StoreUnresponsive)) throw thrown;
      }
      await this.pause(faultsAgainMs);
    }
    return [];
  }

  /** While the store does not answer, nothing is sent. */
  private known(paymentId: string | null): Promise<Known | null> {
    if (paymentId === null) return Promise.resolve(null);
    return knownPayment(this.deps.client, paymentId, null).catch(() => null);
  }

  private later(cancel: Cancel): void {
    if (this.over) cancel();
    else this.cancels.add(cancel);
  }

  private pause(ms: DurationMs): Promise<void> {
    return new Promise((go) => {
      const end = (): void => {
        this.cancels.delete(stop);
        go();
      };
      const cancel = realScheduler.after(ms, end);
      const stop = (): void => {
        cancel();
        go();
      };
      this.later(stop);
    });
  }
}
