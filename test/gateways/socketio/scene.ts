/** One project's sandbox for the tests of live feeds: real session and delivery actors behind a client that lives in
 *  this file, a journal, and time that passes when the test moves it.
 *  1. A notice is delivered unless the test drops it; a read starts when requested and ends when the test allows it. */
import type { Change } from '../../../gateways/socketio/changes.ts';
import { ChangeFeed, type ChangeFeedParts } from '../../../gateways/socketio/change-feed.ts';
import type { Today } from '../../../gateways/http/today.ts';
import { deliveryIdOf, type DeliveryTypes } from '../../../actors/webhook-delivery/messages.ts';
import { webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { metaOf } from '../../../src/runtime/turn/turn-rows.ts';
import type { ActorTypes } from '../../../src/runtime/model/actor.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import type { Row } from '../../../src/store/store.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { expiresAt, opened, order, scope, type SessionStory } from '../../actors/checkout-session/buyer.ts';
import { Complaints } from '../../../src/kernel/complaints.ts';
import { Clock } from '../buyer/till.ts';

export const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';

/** The id of the n-th session, the n-th event. */
export const session = (n: number): string => `cs_n5y5kc7txbgmy7rz22b0c${String(n).padStart(3, '0')}`;
export const event = (pos: number): string => `evt_n339g1s03anfq6rgyzmhk${String(pos).padStart(3, '0')}`;

interface Quietly {
  /** The notice is lost. */
  readonly quietly?: boolean;
}

export class Scene {
  readonly clock = new Clock();
  readonly sessions = new Map<string, SessionStory>();
  readonly deliveries = new Map<string, Story<DeliveryTypes>>();
  readonly journal: Row[] = [];
  readonly watchers = new Set<(id: string) => void>();
  /** Ids that were read, in the order the reads began. */
  readonly reads: string[] = [];
  /** Set: nothing can be read. */
  silent = false;
  /** Set: reads have seen what they saw, and wait for it. */
  gate: Promise<void> | null = null;
  warnings = 0;

  opens(n: number, { quietly = false }: Quietly = {}): string {
    const id = session(n);
    const story = given(checkoutSession, { id, scope, now: this.clock.now() }).when('open', {
      order,
      lifeMs: expiresAt - opened,
    });
    this.sessions.set(id, story);
    this.committed(id, quietly);
    return id;
  }

  /** Something is committed for a session. */
  happens(id: string, what: (story: SessionStory) => void, { quietly = false }: Quietly = {}): void {
    const story = this.sessions.get(id);
    if (story === undefined) throw new Error(`no session ${id}`);
    story.now = Math.max(story.now, this.clock.now());
    what(story);
    this.committed(id, quietly);
  }

  /** The log makes the delivery of its newest event. */
  delivers({ quietly = false }: Quietly = {}): string {
    const row = this.journal.at(-1);
    const eventId = row?.body['eventId'] as string;
    const id = deliveryIdOf(endpointId, eventId);
    const story = given(webhookDelivery, { id, scope, now: this.clock.now() }).when('open', {
      endpointId,
      eventId,
      eventType: row?.body['event'] as string,
      journalId: row?.id ?? '',
      objectId: row?.body['objectId'] as string,
      pos: this.journal.length,
      eventAt: this.clock.now(),
    });
    this.deliveries.set(id, story);
    this.notice(id, quietly);
    return id;
  }

  deliveryHappens(
    id: string,
    what: (story: Story<DeliveryTypes>) => void,
    { quietly = false }: Quietly = {},
  ): void {
    const story = this.deliveries.get(id);
    if (story === undefined) throw new Error(`no delivery ${id}`);
    what(story);
    this.notice(id, quietly);
  }

  notice(id: string, quietly = false): void {
    if (!quietly) for (const hear of this.watchers) hear(id);
  }

  private committed(id: string, quietly: boolean): void {
    const story = this.sessions.get(id);
    const logged = this.journal.filter((row) => row.owner.id === id).length;
    for (const { type, data } of story?.events.slice(logged) ?? []) {
      const at = this.journal.length + 1;
      this.journal.push(
        rowOf('journal', `checkout_session/${id}:${at}`, id, this.clock.now(), {
          pos: at,
          eventId: event(at),
          event: type,
          objectId: data.id,
          envelope: JSON.stringify({ sequence: data.sequence, data }),
        }),
      );
    }
    this.notice(id, quietly);
  }

  readonly parts: ChangeFeedParts = {
    scheduler: this.clock,
    complaints: new Complaints(
      { warn: () => void this.warnings++, error: () => void this.warnings++ },
      this.clock,
    ),
    journalAfter: (_scope, after, limit) =>
      this.asked('journal', () =>
        this.journal.filter(({ body }) => Number(body['pos']) > after).slice(0, limit),
      ),
    client: {
      now: () => this.clock.now(),
      watchScope: (_scope, onNotice) => {
        this.watchers.add(onNotice);
        return () => void this.watchers.delete(onNotice);
      },
      eventsUpTo: (of) => this.asked(of, () => this.journal.length),
      read: (to) => this.asked(to.id, () => this.snapshotOf(to)) as never,
      list: ({ kind, limit }) =>
        this.asked(kind, () => {
          if (kind === 'webhook_endpoint') return { items: [endpoint], total: 1 };
          const items = [...this.sessions.values()].map(seen).toReversed();
          return { items: items.slice(0, limit), total: items.length };
        }) as never,
      listRows: ({ kind, limit, anyOf }) =>
        this.asked(`rows ${kind}`, () => {
          const found = kind === 'payment' ? this.payments() : this.journal;
          const items = found.filter(
            ({ body }) => anyOf?.['eventId']?.includes(body['eventId'] as string) !== false,
          );
          return { items: items.toReversed().slice(0, limit), total: items.length };
        }),
      sumRows: ({ tags }) =>
        this.asked('sum', () => {
          const status = tags === undefined ? 'failed' : 'success';
          const found = this.payments().filter(({ body }) => body['status'] === status);
          return { count: found.length, sum: found.length * order.amount };
        }),
    },
  };

  private payments(): Row[] {
    return [...this.sessions.values()].flatMap((story) =>
      story
        .rows('payment')
        .map((body) => rowOf('payment', String(body['id']), story.given.id, opened, body as Row['body'])),
    );
  }

  /** A read returns the state at its start. */
  private async asked<Found>(what: string, find: () => Found): Promise<Found> {
    this.reads.push(what);
    const found = structuredClone(find());
    const silent = this.silent;
    if (this.gate !== null) await this.gate;
    if (silent) throw new Error('the disk is away');
    return found;
  }

  private snapshotOf({ kind, id }: Address): unknown {
    const [delivery, session] = [this.deliveries.get(id), this.sessions.get(id)];
    if (kind === 'webhook_delivery') return delivery === undefined ? null : seen(delivery);
    return session === undefined ? null : seen(session);
  }
}

const endpoint = {
  state: { status: 'enabled', events: ['*'] },
  meta: { id: endpointId, scope, createdAt: 0 },
  view: {},
  v: 1,
};

function seen<T extends ActorTypes>(story: Story<T>): object {
  if (story.doc === null) throw new Error('an actor exists');
  return { state: story.state, meta: metaOf(story.doc), view: story.view, v: story.doc.v };
}

function rowOf(kind: string, id: string, ownerId: string, created: number, body: Row['body']): Row {
  const owner = { kind: 'checkout_session', id: ownerId };
  return { kind, id, owner, scope, v: 1, once: false, gone: false, created, tags: [], body };
}

/** A feed and all it says. */
export class Ear {
  readonly changes: Change[] = [];
  readonly days: { readonly at: number; readonly today: Today }[] = [];
  overruns = 0;
  readonly feed: ChangeFeed;

  constructor(scene: Scene) {
    this.feed = new ChangeFeed(scope, scene.parts, {
      changed: (change) => void this.changes.push(change),
      counted: (today) => void this.days.push({ at: scene.clock.now(), today }),
      overrun: () => void this.overruns++,
    });
  }

  /** `payment 3`: what was said of one kind, in short. */
  said(object: Change['object']): readonly number[] {
    return this.changes.filter((change) => change.object === object).map(({ sequence }) => sequence);
  }
}
