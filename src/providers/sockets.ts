/** Listens on the provider sockets that report on attempts.
 *  Boundary: which attempts to listen to, and for how long; a message only becomes a hint to the session.
 *  1. A socket only speeds things up: whatever it reports or fails to report, the look-ups continue.
 *  2. An attempt is listened to while it is polled: each poll renews the subscription, and one that is not
 *     renewed is closed. So a new owner listens from its first poll on, and finished attempts are not
 *     listened to.
 *  3. A closed socket is opened again after 1, 2 and 4 s, then given up; one that sends too much is given
 *     up at once. */
import type { SessionCommands } from '../../actors/checkout-session/commands.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';
import type { WebSockets } from '../outbound/web-socket.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { ProviderLog } from './call.ts';
import type { Adapter, Provider, SocketReport } from './provider.ts';

/** An attempt and the provider's socket that reports on it. */
export interface Listened {
  readonly scope: Scope;
  readonly sessionId: string;
  readonly paymentId: string;
  readonly provider: Provider;
  /** The provider's reference for the attempt. */
  readonly reference: string;
  readonly url: string;
}

export interface SocketParts {
  readonly open: WebSockets['open'];
  adapter(provider: Provider): Adapter | null;
  /** The address of this socket as seen from here; null when it must not be opened. */
  address(scope: Scope, provider: Provider, url: string): string | null;
  /** Sends a hint to the session. Never rejects. */
  hint(to: Listened, hint: SessionCommands['hint']): Promise<unknown>;
  readonly scheduler: Scheduler;
  readonly log: ProviderLog;
}

/** Delays before a closed socket is opened again. */
const reopenWaits: readonly DurationMs[] = [1, 2, 4].map(seconds);
/** A subscription not renewed for this long has ended, or its attempt is polled elsewhere: longer than a
 *  poll's delay and its call. */
export const leaseMs: DurationMs = seconds(20);
/** Sockets per node; attempts beyond this are only polled. */
const socketsMax = 10_000;
/** Messages per attempt, over all its sockets. */
export const messagesMax = 100;
/** Hints per attempt: a scan, and reports about its money. */
export const hintsMax = 10;

interface Entry {
  of: Listened;
  renewedAt: DurationMs;
  /** Sockets opened so far. */
  opened: number;
  messages: number;
  hints: number;
  scanned: boolean;
  /** Closes the open socket; null while none is open. */
  close: (() => void) | null;
  reopening: Cancel | null;
}

export class ProviderSockets {
  private readonly parts: SocketParts;
  private readonly entries = new Map<string, Entry>();
  private sweeping: Cancel | null = null;
  private fullLogged = false;
  private stopped = false;

  constructor(parts: SocketParts) {
    this.parts = parts;
  }

  /** Starts listening, or continues. */
  listen(of: Listened): void {
    if (this.stopped) return;
    const now = this.parts.scheduler.steady();
    const known = this.entries.get(of.paymentId);
    if (known !== undefined) {
      known.renewedAt = now;
      return;
    }
    if (this.entries.size >= socketsMax) return this.full();
    const entry: Entry = {
      of,
      renewedAt: now,
      opened: 0,
      messages: 0,
      hints: 0,
      scanned: false,
      close: null,
      reopening: null,
    };
    this.entries.set(of.paymentId, entry);
    this.open(entry);
    this.sweepLater();
  }

  /** Finished attempts are not listened to any more. */
  drop(paymentId: string): void {
    const entry = this.entries.get(paymentId);
    if (entry === undefined) return;
    this.entries.delete(paymentId);
    this.silence(entry);
  }

  /** How many attempts are listened to. */
  get size(): number {
    return this.entries.size;
  }

  stop(): void {
    this.stopped = true;
    this.sweeping?.();
    for (const paymentId of this.entries.keys()) this.drop(paymentId);
  }

  private open(entry: Entry): void {
    entry.reopening = null;
    entry.opened++;
    const { scope, provider, url } = entry.of;
    const address = this.parts.address(scope, provider, url);
    if (address === null) return;
    // a message of an earlier socket is ignored
    const mine = entry.opened;
    const current = (): boolean => entry.opened === mine && this.entries.get(entry.of.paymentId) === entry;
    entry.close = this.parts.open(address, {
      message: (text) => {
        if (current()) this.received(entry, text);
      },
      closed: () => {
        if (current()) this.closed(entry);
      },
    });
  }

  private closed(entry: Entry): void {
    entry.close = null;
    const wait = reopenWaits[entry.opened - 1];
    if (wait === undefined || entry.messages >= messagesMax) return;
    entry.reopening = this.parts.scheduler.after(wait, () => this.open(entry));
  }

  private received(entry: Entry, text: string): void {
    if (++entry.messages > messagesMax) return this.tooMuch(entry);
    const { provider, reference } = entry.of;
    const report = this.parts.adapter(provider)?.readMessage?.(text, reference) ?? null;
    if (report === null || (report === 'scanned' && entry.scanned) || entry.hints >= hintsMax) return;
    entry.scanned ||= report === 'scanned';
    entry.hints++;
    void this.parts.hint(entry.of, hintOf(entry.of, report));
  }

  private tooMuch(entry: Entry): void {
    const { paymentId, provider } = entry.of;
    this.parts.log.warn(
      { paymentId, provider },
      'a provider sends too much on its socket: socket closed, polling continues',
    );
    this.silence(entry);
  }

  private silence(entry: Entry): void {
    entry.reopening?.();
    entry.reopening = null;
    const { close } = entry;
    entry.close = null;
    // later messages of this socket are outdated
    entry.opened = reopenWaits.length + 1;
    close?.();
  }

  private full(): void {
    if (!this.fullLogged)
      this.parts.log.warn({ socketsMax }, 'the limit of provider sockets is reached: polling only');
    this.fullLogged = true;
  }

  private sweepLater(): void {
    this.sweeping ??= this.parts.scheduler.after(leaseMs / 4, () => {
      this.sweeping = null;
      const until = this.parts.scheduler.steady() - leaseMs;
      for (const [paymentId, { renewedAt }] of this.entries) if (renewedAt < until) this.drop(paymentId);
      if (this.entries.size < socketsMax) this.fullLogged = false;
      if (this.entries.size > 0) this.sweepLater();
    });
  }
}

const hintOf = ({ paymentId, provider }: Listened, report: SocketReport): SessionCommands['hint'] => ({
  paymentId,
  ...words[report],
  verified: false,
  summary: `${provider}'s socket: ${report}`,
});

const words = {
  scanned: { from: 'scan', says: 'unknown' },
  paid: { from: 'socket', says: 'paid' },
  failed: { from: 'socket', says: 'failed' },
} as const;
