/** A project's log that tests write by hand, and a listener with its event stream; keys are checked for real. */
import { createAuth } from '../../../gateways/http/access/auth.ts';
import { Gate } from '../../../gateways/http/access/gate.ts';
import { createLimits } from '../../../gateways/http/access/rate-limit.ts';
import { EventStreams } from '../../../gateways/sse/event-stream.ts';
import { eventStreamDoor } from '../../../gateways/sse/event-stream-door.ts';
import { listen, type Listener } from '../../../gateways/server/listener.ts';
import { createLocalBus } from '../../support/simulated/bus-local.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { ListQuery, Row } from '../../../src/store/store.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { FakeClient } from '../../support/fake-client.ts';
import { StreamReader } from './reader.ts';
import { HandClock } from './street.ts';
import { bareListener, unwatched, versions } from '../../support/alone.ts';

const log = createLog({ level: 'silent', pretty: false });
export const projectId = 'prj_pjc0e83mhrawse3s6h8bhrbw';
export const scope = `${projectId}:sandbox` as const;

export class ShopLog {
  readonly clock = new HandClock();
  readonly keys = new FakeClient();
  readonly key = this.keys.issue('sk_test_');
  readonly rows: Row[] = [];
  streams: EventStreams;
  /** The clock of the project, and of keys. */
  now = 0;
  silent = false;
  private readonly bus = createLocalBus();
  private readonly owner = this.bus.connect('owner');
  private listener: Listener | null = null;
  private committed = 0;

  constructor() {
    const gateway = this.bus.connect('gateway');
    this.streams = new EventStreams({
      client: {
        watch: (id, onNotice) => gateway.watch(id, () => onNotice(id)),
        eventsUpTo: () => this.committed,
      },
      journalAfter: async (_scope, after, limit) => {
        if (this.silent) throw new Error('the disk is away');
        return this.rows.filter(({ body }) => Number(body['pos']) > after).slice(0, limit);
      },
      scheduler: this.clock,
      log,
      ...unwatched,
    });
  }

  async open(): Promise<this> {
    const listRows = async ({ kind, equals, ...query }: ListQuery): Promise<unknown> => {
      if (kind !== 'journal') return this.keys.listRows({ kind, ...query });
      const items = this.rows.filter(({ body }) => body['eventId'] === equals?.['eventId']);
      return { items, total: items.length };
    };
    const client = { listRows, now: () => this.now } as unknown as Client;
    const auth = createAuth({ client: this.keys, adminToken: 'x', now: () => this.now, others: null });
    const gate = new Gate(auth, createLimits({ on: true, now: () => this.now, sharing: null }));
    this.listener = await listen({ host: '127.0.0.1', port: 0, log, ...bareListener });
    this.listener.mount([eventStreamDoor({ gate, auth, client, streams: this.streams, versions })]);
    return this;
  }

  /** One more event in the log; `quietly`: without a notice. */
  happens(event: string, { filler = '', quietly = false, at = this.now } = {}): string {
    const eventId = this.written(event, { filler, at });
    this.committed = this.rows.length;
    if (!quietly) this.owner.notice(scope, scope);
    return eventId;
  }

  /** Written, but the log has not said so yet. */
  written(event: string, { filler = '', at = this.now } = {}): string {
    const pos = this.rows.length + 1;
    const eventId = `evt_${String(pos).padStart(24, '0')}`;
    const body = { pos, eventId, event, objectId: 'x', envelope: envelopeOf(eventId, event, filler), at };
    const owner = { kind: 'event_log', id: scope };
    const rest = { v: 1, once: true, gone: false, created: at, tags: [] } as const;
    this.rows.push({ kind: 'journal', id: `x:${pos}`, owner, scope, ...rest, body });
    return eventId;
  }

  reader(query = '', headers: readonly string[] = [], key = this.key): Promise<StreamReader> {
    return StreamReader.open({
      port: this.listener?.port ?? 0,
      path: `/v1/events/stream${query}`,
      headers: [`Authorization: Bearer ${key}`, ...headers],
    });
  }

  async close(): Promise<void> {
    this.streams.drain();
    await this.listener?.drain(200);
  }
}

const envelopeOf = (id: string, type: string, filler: string): string =>
  JSON.stringify({ id, type, ...(filler === '' ? {} : { filler }) });

export const connected = `event: connected\ndata: {"projectId":"${projectId}","livemode":false}\n\n`;
export const frame = (id: string, type: string): string =>
  `id: ${id}\nevent: ${type}\ndata: ${envelopeOf(id, type, '')}\n\n`;
