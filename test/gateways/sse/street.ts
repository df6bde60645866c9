/** Direct-QR sessions that tests change by hand, and nodes that serve their streams: real listeners and hubs on one
 *  local bus. There are no actors here: the test sets the state of a session. */
import type { QrEvent } from '../../../actors/checkout-session/qr-events.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { Hub, type HubOptions } from '../../../gateways/sse/hub.ts';
import { qrEventsDoor, qrEventsNotYet, qrReader } from '../../../gateways/sse/qr-events.ts';
import { listen, type Listener } from '../../../gateways/server/listener.ts';
import { createLocalBus } from '../../support/simulated/bus-local.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { realScheduler, type Cancel, type DurationMs, type Scheduler } from '../../../src/kernel/time.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { StreamReader, type Opening } from './reader.ts';
import { bareListener, unwatched } from '../../support/alone.ts';

const log = createLog({ level: 'silent', pretty: false });

/** Time that stands still until the test moves it. */
export class HandClock implements Scheduler {
  private at = 0;
  private readonly waiting = new Set<{ readonly due: number; readonly work: () => void }>();

  now(): number {
    return this.at;
  }
  steady(): number {
    return this.at;
  }
  after(delay: DurationMs, work: () => void): Cancel {
    const one = { due: this.at + delay, work };
    this.waiting.add(one);
    return () => void this.waiting.delete(one);
  }
  /** Timers that are set. */
  get timers(): number {
    return this.waiting.size;
  }
  go(ms: DurationMs): void {
    const until = this.at + ms;
    for (;;) {
      const [next] = [...this.waiting].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.waiting.delete(next);
      this.at = Math.max(this.at, next.due);
      next.work();
    }
    this.at = until;
  }
  /** Pauses for this long, then continues: timers are late. */
  stall(ms: DurationMs): void {
    this.at += ms;
    this.go(0);
  }
}

interface Session {
  readonly source: 'direct_qr' | 'checkout';
  status: SessionState['status'] | 'hidden';
  qrLog: readonly QrEvent[];
  endedAt?: number;
}

export class Street {
  readonly sessions = new Map<string, Session>();
  /** How often any of them was read. */
  reads = 0;
  /** Set: nothing can be read. */
  silent = false;
  /** Set: reads wait for it. */
  gate: Promise<void> | null = null;
  /** Their clock. */
  now = 0;
  private readonly hub = createLocalBus();
  /** Where the actors live. */
  private readonly owner = this.hub.connect('owner');
  private readonly nodes: StreamNode[] = [];

  session(source: Session['source'] = 'direct_qr'): string {
    const id = mintId('cs');
    this.sessions.set(id, { source, status: 'initiated', qrLog: [] });
    return id;
  }

  /** Commits something; `quietly`: the notice is lost. */
  commit(id: string, event: QrEvent['event'], quietly = false): void {
    const session = this.sessions.get(id);
    if (session === undefined) throw new Error(`no session ${id}`);
    session.qrLog = [...session.qrLog, eventOf(id, session.qrLog.length + 1, event)];
    if (event === 'qr.paid') session.status = 'success';
    if (event === 'qr.expired') session.status = 'expired';
    if (event !== 'qr.scanned') session.endedAt = this.now;
    if (!quietly) this.notice(id);
  }

  notice(id: string): void {
    this.owner.notice(id, 'prj_x:sandbox');
  }

  async node(options: Partial<HubOptions> = {}): Promise<StreamNode> {
    const node = await StreamNode.open(this, this.hub.connect(`node ${this.nodes.length}`), options);
    this.nodes.push(node);
    return node;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  readonly read = async ({ id }: Address): Promise<unknown> => {
    this.reads++;
    const found = this.sessions.get(id);
    const state = found === undefined ? null : { ...found, order: { source: found.source } };
    if (this.gate !== null) await this.gate;
    if (this.silent) throw new Error('the disk is away');
    return state === null
      ? null
      : { state, meta: { id, scope: 'prj_x:sandbox', createdAt: 0 }, view: {}, v: 1 };
  };

  readonly readStored = async (
    kind: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, unknown>> => {
    const found = await Promise.all(ids.map(async (id) => [id, await this.read({ kind, id })] as const));
    return new Map(found.filter(([, session]) => session !== null));
  };
}

function eventOf(id: string, n: number, event: QrEvent['event']): QrEvent {
  if (event === 'qr.scanned') return { n, event, data: { sessionId: id, scannedAt: at } };
  if (event === 'qr.expired') return { n, event, data: { sessionId: id, expiredAt: at } };
  const money = { amount: 125_050 as never, currency: 'NPR', provider: 'qr_a', traceId: '128391' } as const;
  return { n, event, data: { paymentId: 'pay_4t8z1m6q3x9k2v7b', sessionId: id, ...money } };
}

export const at = '2026-11-20T09:15:41.000Z';

export class StreamNode {
  readonly hub: Hub;
  readonly bus: Bus;
  /** Ids watched on the bus right now. */
  watched = 0;
  private readonly listener: Listener;
  private stopped: Promise<void> | null = null;

  private constructor(hub: (node: StreamNode) => Hub, bus: Bus, listener: Listener) {
    this.bus = bus;
    this.listener = listener;
    this.hub = hub(this);
  }

  static async open(street: Street, bus: Bus, options: Partial<HubOptions>): Promise<StreamNode> {
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      log,
      ...bareListener,
      notYet: qrEventsNotYet,
      answerMsMax: 1500,
    });
    const { read, readStored } = street;
    const client = { read, readStored, now: () => street.now } as unknown as Client;
    const hub = (node: StreamNode): Hub =>
      new Hub({
        scheduler: realScheduler,
        log,
        read: qrReader(client),
        watch: (id, onNotice) => node.watch(id, onNotice),
        ...unwatched,
        ...options,
      });
    return new StreamNode(hub, bus, listener);
  }

  get port(): number {
    return this.listener.port;
  }

  get inFlight(): number {
    return this.listener.inFlight();
  }

  serve(): this {
    this.listener.mount([qrEventsDoor({ hub: this.hub, log })]);
    return this;
  }

  reader(id: string, opening: Partial<Opening> = {}): Promise<StreamReader> {
    return StreamReader.open({ port: this.port, path: `/v1/qr/${id}/events`, ...opening });
  }

  asking(id: string): Promise<StreamReader> {
    return StreamReader.asking({ port: this.port, path: `/v1/qr/${id}/events` });
  }

  /** As a rolling restart stops it. */
  stop(): Promise<void> {
    return (this.stopped ??= this.hub.drain().then(() => this.listener.drain(500)));
  }

  /** Stops like a power cut: nothing is sent to any client. */
  die(): Promise<void> {
    return (this.stopped ??= this.bus.close().then(() => this.listener.drain(0)));
  }

  private watch(id: string, onNotice: (id: string) => void): Cancel {
    const cancel = this.bus.watch(id, () => onNotice(id));
    this.watched++;
    return () => {
      this.watched--;
      cancel();
    };
  }
}
