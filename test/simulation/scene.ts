/** A small history that a test can falsify, and its parts: what is stored, what clients
 *  receive, what is sent. Boundary: passes one history to one checker; the test decides which history is false. */
import type { PublishedEvent } from '../../src/bus/bus.ts';
import type { Doc, Outcome, OutRow, Row } from '../../src/store/store.ts';
import { Disk } from '../support/simulated/store-sim-disk.ts';
import type { Answered, Checker, MakeChecker, Shown } from './checkers/checker.ts';
import { Ledger } from './ledger.ts';

const scope = 'prj_aa:live';
export const now = 1_000_000;

/** What happens in it, one call each; `heard` is what the checker said of it. */
export class Scene {
  readonly ledger = new Ledger();
  readonly endpoints = new Set<string>();
  readonly streams = { events: new Map<string, PublishedEvent>(), mail: 0 };
  readonly checker: Checker;
  readonly heard: (string | null | undefined)[] = [];
  readonly disk: Disk;
  now = now;
  ticks = 0;

  constructor(make: MakeChecker) {
    this.disk = new Disk(true, (landed) => this.heard.push(this.checker.landed?.(landed)));
    this.checker = make({
      disk: this.disk,
      ledger: this.ledger,
      endpoints: this.endpoints,
      streams: this.streams,
      ticks: () => this.ticks,
      now: () => this.now,
    });
  }

  doc(given: Partial<Doc>): this {
    const item: Doc = {
      kind: 'tally',
      id: 'tly_a',
      scope,
      clock: null,
      slot: 0,
      v: 1,
      e: 1,
      tok: 't',
      sv: 1,
      at: now,
      created: now,
      gone: false,
      tags: [],
      body: { entries: [] },
      seen: [],
      out: [],
      oq: 0,
      eseq: 0,
      timers: [],
      wake: null,
      busy: (given.out ?? []).length > 0,
      ...given,
    };
    const before = this.disk.doc(item.kind, item.id);
    this.disk.landWrite(before === null ? 0 : before.v, { item, text: JSON.stringify(item) });
    return this;
  }

  settled(id: string, v: number): this {
    this.disk.settle({ kind: 'tally', id, v });
    return this;
  }

  row(given: Partial<Row>): this {
    const item: Row = { ...part, ...given };
    this.disk.landRow(item, JSON.stringify(item));
    return this;
  }

  answered(given: Partial<Answered>): this {
    this.heard.push(
      this.checker.answered?.({
        to: { kind: 'tally', id: 'tly_a' },
        command: 'add',
        data: { op: 'x' },
        identity: null,
        askedAt: 1,
        answeredAt: 2,
        deadline: now,
        result: { is: 'ok', v: 1, detail: { place: 0 } },
        ...given,
      }),
    );
    return this;
  }

  shown(given: Partial<Shown>): this {
    this.heard.push(
      this.checker.shown?.({
        kind: 'tally',
        id: 'tly_a',
        v: 1,
        state: {},
        askedAt: 3,
        answeredAt: 4,
        ...given,
      }),
    );
    return this;
  }

  told(upTo: number): this {
    this.heard.push(this.checker.told?.({ scope, upTo }));
    return this;
  }

  began(key: string, kind = 'bell.again'): this {
    this.heard.push(this.checker.began?.({ key, kind }));
    return this;
  }

  posted(deliveryId: string, body = 'body', overtakes = false): this {
    this.heard.push(
      this.checker.posted?.({
        endpointId: 'we_b1',
        deliveryId,
        eventId: 'evt_1',
        overtakes,
        body,
      }),
    );
    return this;
  }

  replied(key: string, body: string, objectId = 'cs_1'): this {
    this.heard.push(this.checker.replied?.({ key, body, objectId }));
    return this;
  }

  published(key: string, envelope: string): this {
    this.streams.events.set(key, { key, pos: 0, scope, event: 'tally.appended', envelope });
    return this;
  }

  ended(): this {
    this.heard.push(this.checker.ended?.());
    return this;
  }
}

export const entries = (...list: string[]): Partial<Doc> => ({ body: { entries: list } });
export const part: Row = {
  kind: 'tally_part',
  id: 'tlp_a',
  owner: { kind: 'tally', id: 'tly_a' },
  scope,
  v: 1,
  once: false,
  gone: false,
  created: now,
  tags: [],
  body: {},
};
export const rowOut = (q: number): OutRow => ({ q, type: 'row', row: part });
export const effectOut = (q: number, tries = 0, kind = 'bell.again'): OutRow => ({
  q,
  type: 'effect',
  kind,
  data: {},
  tries,
  at: now,
});
export const tellOut = (q: number, to: string): OutRow => ({
  q,
  type: 'tell',
  to,
  command: 'receive',
  data: {},
  at: now,
});
export const eventOut = (q: number, eseq: number, event = 'tally.appended'): OutRow => ({
  q,
  type: 'event',
  eseq,
  eventId: 'evt_1',
  event,
  objectId: 'tly_a',
  envelope: '{}',
  at: now,
});
export const entry = (pos: number, id: string, body: Row['body'] = {}): Partial<Row> => ({
  kind: 'journal',
  id,
  once: true,
  body: { pos, envelope: '{}', event: 'checkout.created', eventId: 'evt_1', objectId: 'o', ...body },
});
export const seen = (from: string, done: number, ...seqs: number[]): Pick<Doc, 'seen'> => ({
  seen: [[from, done, now, seqs.map((seq): Outcome => [seq, 'ok', 1])]],
});
export const keyed = { identity: { from: 'k:1', seq: 1, done: 0 } };
export const payment = (id: string, status: string, duplicate = false) => ({
  id,
  status,
  duplicate,
  sequence: 1,
});
export const session = (status: string, payments: readonly object[], more: object = {}): Partial<Doc> => ({
  kind: 'checkout_session',
  id: 'cs_1',
  body: { status, payments, sequence: 1, order: { amount: 1000, referenceId: 'ref' }, ...more } as never,
});
/** A payment link that nobody has used, and a session that came by it. */
export const linkOf = (more: object): Partial<Doc> => ({
  kind: 'payment_link',
  id: 'lnk_1',
  body: { status: 'active', maxUses: null, usedCount: 0, held: [], ...more } as never,
});
export const linked = (id: string, status: string): Partial<Doc> => ({
  ...session(status, [], {
    order: { amount: 1000, link: { id: 'lnk_1', referenceId: 'PL-1', held: 0 } },
    ...(status === 'success' ? { endedAt: now, late: false } : {}),
  }),
  id,
});
/** An invoice for the ten milliseconds from here on. */
export const invoiceOf = (id: string, periodStart: number, more: object = {}) => ({
  id,
  status: 'open',
  number: null,
  openedAt: null,
  periodStart,
  periodEnd: periodStart + 10,
  ...more,
});
/** A subscription in its period from 10 to 20. */
export const subscribed = (invoices: readonly object[], more: object = {}): Partial<Doc> => ({
  kind: 'subscription',
  id: 'sub_1',
  body: {
    status: 'active',
    period: { number: 1, start: 10, end: 20 },
    opening: null,
    lapsed: false,
    totalCycles: null,
    pausedAt: null,
    endedAt: null,
    invoices,
    ...more,
  } as never,
});
export const refund = (id: string, amount: number, status: string) => ({
  id,
  paymentId: 'pay_1',
  amount,
  status,
});
/** A session whose one payment has these refunds. */
export const refunding = (refunds: readonly object[], refundedAmount = 0): Partial<Doc> =>
  session('success', [{ ...payment('pay_1', 'success'), refundedAmount }], { refunds });
export const delivery = (pos: number, status: string, id = `whd_${pos}`): Partial<Doc> => ({
  kind: 'webhook_delivery',
  id,
  body: { endpointId: 'we_b1', objectId: 'o', pos, status, journalId: 'cs/1:1' },
});
const endpoint: Partial<Doc> = {
  kind: 'webhook_endpoint',
  id: 'we_b1',
  body: { status: 'enabled', events: ['*'] },
};
export const log = (pos: number, dispatched: number, out: OutRow[] = []): Partial<Doc> => ({
  kind: 'event_log',
  id: scope,
  body: { pos, dispatched },
  out,
});

export function paid(scene: Scene, ...paymentIds: string[]): Scene {
  for (const id of paymentIds) {
    scene.ledger.start(id, 'cs_1', 1000);
    scene.ledger.decide(id, 'paid', now);
  }
  return scene;
}

export function known(scene: Scene): Scene {
  scene.endpoints.add('we_b1');
  return scene.doc(endpoint);
}
