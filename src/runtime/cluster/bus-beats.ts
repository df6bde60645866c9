/** Whether the nodes hear one another over the bus: each broadcasts a beat and notes whom it does not hear.
 *  Boundary: observes, and helps its own connection; who counts as without bus follows from the notes of all nodes
 *  (bus-groups.ts).
 *  1. Silence counts only for a node whose heartbeats reach the store, and only while this node was running and had its
 *     connection all the time: a node that is paused or dead is left to the membership.
 *  2. A node that does not hear most of the others goes to another server of the bus, each time after a longer wait.
 *  3. A beat names the partitions that did not reach anybody for a while: their owner subscribes anew, all of its
 *     own. */
import { Complaints } from '../../kernel/complaints.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { NodeRow } from '../../store/directory.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

export const beatEveryMs = seconds(1);
/** Nodes notice a silence at nearly the same time. */
const lookEveryMs: DurationMs = 250;
/** After so long without a beat a node counts as unheard. */
export const unheardAfterMs = seconds(4);
/** With one that begins to count so do others after so long: where the bus carries nothing from some moment on, the
 *  last beats of nodes are up to an interval apart, and whoever is noted alone counts as the one without bus. */
const unheardWithMs: DurationMs = unheardAfterMs - beatEveryMs - lookEveryMs;
/** After so long without most of the others a node goes to another server. */
export const reconnectAfterMs = seconds(3);
const reconnectAfterMsMax = seconds(60);
/** Nodes go one after the other: two that change places still do not hear each other. */
const ranksMax = 4;
/** A look that comes so late proves nothing about the silence before it. */
const lateMsMax = seconds(2);
/** A node whose heartbeat in the store is older may be dead or paused. */
const seenMsMax = seconds(2.5);
/** For so long a partition must have reached nobody before its owner is told. */
const unreachedAfterMs = seconds(1.5);
/** Its interest needs a moment to reach all servers: it does not subscribe anew more often. */
export const subscribeAgainMs = seconds(3);
const beat = 'beat';

export interface BusBeatsParts {
  readonly bus: Pick<
    Bus,
    'connected' | 'broadcast' | 'onBroadcast' | 'reconnect' | 'unreached' | 'subscribeAgain'
  >;
  readonly scheduler: Scheduler;
  readonly log: RuntimeLog;
  readonly incarnation: () => string;
  /** For how long a node has shown no heartbeat in the store. */
  readonly unseenMs: (inc: string) => DurationMs;
  /** Partitions served here. */
  readonly serving: () => readonly number[];
  /** Called when `unheard` has changed. */
  readonly onChange: () => void;
}

export class BusBeats {
  private readonly parts: BusBeatsParts;
  private readonly complaints: Complaints;
  /** Live nodes that send beats, and when each was heard last, in steady time. */
  private readonly heard = new Map<string, DurationMs>();
  private silent: readonly string[] = [];
  /** Silence is counted from here on: since then this node was running and connected. */
  private countsFrom: DurationMs;
  private lookedAt: DurationMs;
  private sentAt = -Infinity;
  private reconnectWaitMs: DurationMs = reconnectAfterMs;
  private mayReconnectAt = -Infinity;
  private subscribedAgainAt = -Infinity;
  private cancel: Cancel = () => undefined;

  constructor(parts: BusBeatsParts) {
    this.parts = parts;
    this.complaints = new Complaints(parts.log, parts.scheduler);
    this.lookedAt = this.countsFrom = parts.scheduler.steady();
  }

  /** Live nodes not heard for `unheardAfterMs`. */
  get unheard(): readonly string[] {
    return this.silent;
  }

  start(): void {
    const stopListening = this.parts.bus.onBroadcast(beat, (text) => this.hear(text));
    let cancelTick: Cancel = () => undefined;
    const again = (): void => {
      cancelTick = this.parts.scheduler.after(lookEveryMs, () => {
        this.look();
        again();
      });
    };
    this.cancel = () => {
      cancelTick();
      stopListening();
    };
    this.send();
    again();
  }

  /** It sends and hears nothing more. */
  stop(): void {
    this.cancel();
  }

  /** Called with each read of the directory. */
  observe(nodes: readonly NodeRow[]): void {
    const own = this.parts.incarnation();
    const beating = new Set(
      nodes
        .filter(({ inc, state, info }) => state === 'live' && inc !== own && info.unheard !== undefined)
        .map(({ inc }) => inc),
    );
    for (const inc of this.heard.keys()) if (!beating.has(inc)) this.heard.delete(inc);
    const now = this.parts.scheduler.steady();
    for (const inc of beating) if (!this.heard.has(inc)) this.heard.set(inc, now);
  }

  private look(): void {
    const { bus, scheduler } = this.parts;
    const now = scheduler.steady();
    const { connected } = bus;
    if (now - this.lookedAt > lookEveryMs + lateMsMax || !connected) this.countsFrom = now;
    this.lookedAt = now;
    if (connected && now - this.sentAt >= beatEveryMs) this.send();
    this.note(now);
    this.reconnect(now);
  }

  private send(): void {
    const { bus, scheduler, incarnation } = this.parts;
    this.sentAt = scheduler.steady();
    const unreached = bus.unreached(unreachedAfterMs);
    bus.broadcast(beat, JSON.stringify({ inc: incarnation(), unreached }));
  }

  private hear(text: string): void {
    const received = beatFrom(text);
    if (received === null) return;
    if (this.heard.has(received.inc)) this.heard.set(received.inc, this.parts.scheduler.steady());
    if (this.silent.includes(received.inc)) {
      this.note(this.parts.scheduler.steady());
      // nor is the last one that is heard again noted alone
      if (this.parts.bus.connected) this.send();
    }
    this.subscribeAgain(received.unreached);
  }

  /** Not heard for so long, although their heartbeats reach the store. */
  private silentFor(ms: DurationMs, now: DurationMs): readonly string[] {
    return [...this.heard]
      .filter(
        ([inc, at]) => now - Math.max(at, this.countsFrom) >= ms && this.parts.unseenMs(inc) < seenMsMax,
      )
      .map(([inc]) => inc);
  }

  private note(now: DurationMs): void {
    const long = this.silentFor(unheardAfterMs, now);
    const begins = long.some((inc) => !this.silent.includes(inc));
    const silent = this.silentFor(unheardWithMs, now)
      .filter((inc) => begins || long.includes(inc) || this.silent.includes(inc))
      .toSorted();
    if (silent.join() === this.silent.join()) return;
    const { log, onChange } = this.parts;
    if (silent.length === 0) log.warn({}, 'every other node is heard over NATS again');
    else if (this.silent.length === 0)
      log.warn(
        { unheard: silent },
        'other nodes are not heard over NATS: check the connections between its servers',
      );
    this.silent = silent;
    onChange();
  }

  private reconnect(now: DurationMs): void {
    const { bus, log, incarnation } = this.parts;
    const isMost = (some: readonly unknown[]): boolean => some.length * 2 > this.heard.size;
    if (isMost([...this.heard.values()].filter((at) => now - at < beatEveryMs * 2)))
      [this.reconnectWaitMs, this.mayReconnectAt] = [reconnectAfterMs, -Infinity];
    const rank = [...this.heard.keys()].filter((inc) => inc < incarnation()).length;
    const silentMs = reconnectAfterMs + Math.min(rank, ranksMax) * beatEveryMs;
    if (now < this.mayReconnectAt || !isMost(this.silentFor(silentMs, now))) return;
    if (!bus.reconnect()) return;
    log.warn({}, 'most other nodes are not heard over NATS: this node connects to another server');
    this.reconnectWaitMs = Math.min(this.reconnectWaitMs * 2, reconnectAfterMsMax);
    this.mayReconnectAt = now + this.reconnectWaitMs;
  }

  private subscribeAgain(unreached: readonly number[]): void {
    const { bus, scheduler, serving } = this.parts;
    if (unreached.length === 0 || scheduler.steady() < this.subscribedAgainAt + subscribeAgainMs) return;
    const here = new Set(serving());
    if (!unreached.some((p) => here.has(p))) return;
    this.subscribedAgainAt = scheduler.steady();
    this.complaints.warn('another node does not reach what is served here: it is subscribed anew');
    // a server that has lost track of one has hardly lost track of that one alone
    bus.subscribeAgain();
  }
}

interface Beat {
  readonly inc: string;
  readonly unreached: readonly number[];
}

function beatFrom(text: string): Beat | null {
  try {
    const { inc, unreached } = Object(JSON.parse(text)) as { inc?: unknown; unreached?: unknown };
    if (typeof inc !== 'string' || !Array.isArray(unreached)) return null;
    return { inc, unreached: unreached.filter((p): p is number => Number.isInteger(p)) };
  } catch {
    return null;
  }
}
