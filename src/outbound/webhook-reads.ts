/** What the sending of webhooks reads: the endpoints of a scope, the deliveries that have not ended, the texts of
 *  events.
 *  1. An endpoint receives every event after its creation was answered, and nothing after its end was: one process
 *     that owns every actor hears of each commit before its answer can be seen and reads its memory. A node of a
 *     cluster asks the endpoint itself where it serves it, as it does for its deliveries; else it reads the store.
 *  2. Memory begins empty and is filled from the store (committed-set.ts). Whatever does not fit is read from the
 *     store: memory never answers with a part.
 *  3. The text of an event never changes, so any node may remember it, and what any read of it finds is right. */
import type { DeliveryState } from '../../actors/webhook-delivery/messages.ts';
import type { Listener } from '../../actors/webhook-endpoint/dispatch.ts';
import type { EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { assert } from '../kernel/assert.ts';
import { singleFlights } from '../kernel/single-flight.ts';
import type { Scheduler } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { DocReader } from '../runtime/model/upcast.ts';
import type { Doc, Row, Store } from '../store/store.ts';
import { CommittedSet } from './committed-set.ts';

export interface WebhookReadsParts {
  readonly docs: DocReader;
  readonly store: Pick<Store, 'readRow' | 'readManyRows'>;
  /** What an actor that this node serves has committed; undefined: another node serves it. */
  readonly here: (kind: string, id: string) => Promise<Doc | null | undefined>;
  /** Whether this process owns every actor. */
  readonly alone: () => boolean;
  readonly scheduler: Pick<Scheduler, 'steady'>;
}

/** A delivery that may be behind another one of its object. */
export interface Place {
  readonly endpointId: string;
  readonly objectId: string;
  readonly pos: number;
}

/** Well above the limit of ten per project and mode. */
const listenersMax = 100;
/** Deliveries of one scope that have not ended, in memory. */
const unendedMax = 1000;
/** Deliveries of one object that have not ended, read per page. */
const unendedPage = 100;
/** The texts of events that have just been dispatched: of some thousands. */
const textCharsMax = 8 * 1024 * 1024;

export class WebhookReads {
  private readonly parts: WebhookReadsParts;
  private readonly endpoints: CommittedSet<EndpointState>;
  private readonly unended: CommittedSet<Place>;
  private readonly texts = new RecentTexts(textCharsMax);
  private readonly readEndpoint: (id: string) => Promise<Doc | null>;

  constructor(parts: WebhookReadsParts) {
    this.parts = parts;
    const { docs, scheduler } = parts;
    this.endpoints = new CommittedSet({
      load: (scope) => this.storedEndpoints(scope).then(unlessMore(listenersMax)),
      itemOf: ({ gone, body }) => (gone || body === null ? null : (body as unknown as EndpointState)),
      itemsMax: listenersMax,
      scheduler,
    });
    this.unended = new CommittedSet({
      load: (scope) => this.storedUnended(scope),
      itemOf: placeOf,
      itemsMax: unendedMax,
      scheduler,
    });
    this.readEndpoint = singleFlights(async (id) => {
      const here = await parts.here('webhook_endpoint', id);
      return here === undefined ? docs.read('webhook_endpoint', id) : here;
    });
  }

  /** Called with each document committed here, before its answer can be seen. */
  observe(doc: Doc): void {
    if (doc.kind === 'webhook_endpoint') this.endpoints.observe(doc);
    else if (doc.kind === 'webhook_delivery') this.unended.observe(doc);
  }

  /** Every endpoint of a scope. */
  async listeners(scope: Scope): Promise<readonly Listener[]> {
    const known = this.parts.alone() ? await this.endpoints.of(scope) : null;
    if (known !== null) return [...known].map(([id, state]) => ({ id, state }));
    const stored = await this.storedEndpoints(scope);
    return stored.map(({ id, body }) => ({ id, state: body as unknown as EndpointState }));
  }

  /** An endpoint of this scope as it is now; null: there is none. */
  async endpoint(id: string, scope: Scope): Promise<EndpointState | null> {
    const known = this.parts.alone() ? await this.endpoints.of(scope) : null;
    if (known !== null) return known.get(id) ?? null;
    const doc = await this.readEndpoint(id);
    return doc === null || doc.gone || doc.scope !== scope ? null : (doc.body as unknown as EndpointState);
  }

  /** The nearest earlier delivery of the same object that has not ended; null: none. */
  async nearestEarlier(to: Place, scope: Scope): Promise<string | null> {
    const known = this.parts.alone() ? await this.unended.of(scope) : null;
    return nearestBefore(to, known ?? (await this.storedEarlier(to, scope)));
  }

  /** Remembers the texts of events that are about to be sent. */
  remember(entries: readonly Row[]): void {
    for (const { id, body } of entries) this.texts.add(id, textIn(body));
  }

  /** The text of an event, byte for byte. */
  async text(journalId: string): Promise<string> {
    const known = this.texts.get(journalId);
    if (known !== undefined) return known;
    const { store } = this.parts;
    const [found] = await store.readManyRows('journal', [journalId]);
    // where a majority does not have it yet
    const row = found ?? (await store.readRow('journal', journalId));
    return textIn(row?.body);
  }

  private async storedEndpoints(scope: Scope): Promise<readonly Doc[]> {
    const { items } = await this.parts.docs.list({
      kind: 'webhook_endpoint',
      scope,
      page: 1,
      limit: listenersMax + 1,
      uncounted: true,
    });
    return items;
  }

  /** One list for each status: each ends at its limit, however many wait. */
  private async storedUnended(scope: Scope): Promise<readonly Doc[] | null> {
    const found: Doc[] = [];
    for (const status of ['pending', 'retrying']) {
      const { items } = await this.parts.docs.list({
        kind: 'webhook_delivery',
        scope,
        equals: { status },
        page: 1,
        limit: unendedMax + 1,
        uncounted: true,
      });
      found.push(...items);
      if (found.length > unendedMax) return null;
    }
    return found;
  }

  private async storedEarlier({ endpointId, objectId, pos }: Place, scope: Scope) {
    const { items } = await this.parts.docs.list({
      kind: 'webhook_delivery',
      scope,
      equals: { endpointId, objectId },
      anyOf: { status: ['pending', 'retrying'] },
      range: [{ field: 'pos', to: pos }],
      page: 1,
      limit: unendedPage,
    });
    return items.flatMap((doc): readonly (readonly [string, Place])[] => {
      const place = placeOf(doc);
      return place === null ? [] : [[doc.id, place]];
    });
  }
}

const unlessMore =
  (max: number) =>
  (docs: readonly Doc[]): readonly Doc[] | null =>
    docs.length > max ? null : docs;

/** null: it has ended. */
function placeOf({ gone, body }: Doc): Place | null {
  if (gone || body === null) return null;
  const { status, endpointId, objectId, pos } = body as unknown as DeliveryState;
  return status === 'pending' || status === 'retrying' ? { endpointId, objectId, pos } : null;
}

function nearestBefore(
  { endpointId, objectId, pos }: Place,
  places: Iterable<readonly [string, Place]>,
): string | null {
  let nearest: { readonly id: string; readonly pos: number } | null = null;
  for (const [id, one] of places) {
    if (one.endpointId !== endpointId || one.objectId !== objectId || one.pos >= pos) continue;
    if (nearest === null || one.pos > nearest.pos) nearest = { id, pos: one.pos };
  }
  return nearest?.id ?? null;
}

function textIn(body: Row['body'] | undefined): string {
  const text = body?.['envelope'];
  assert(typeof text === 'string', 'a delivery has its event in the journal');
  return text;
}

/** The newest texts by their keys, as many as fit into a bound of characters; the oldest leave first. For texts that
 *  never change. */
export class RecentTexts {
  private readonly charsMax: number;
  /** The oldest first. */
  private readonly texts = new Map<string, string>();
  private chars = 0;

  constructor(charsMax: number) {
    this.charsMax = charsMax;
  }

  get(key: string): string | undefined {
    return this.texts.get(key);
  }

  add(key: string, text: string): void {
    if (this.texts.has(key) || text.length > this.charsMax) return;
    this.texts.set(key, text);
    this.chars += text.length;
    for (const [oldest, { length }] of this.texts) {
      if (this.chars <= this.charsMax) return;
      this.texts.delete(oldest);
      this.chars -= length;
    }
  }
}
