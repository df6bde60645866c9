/** Reads the journal of one scope for changes that no notice has reported: a notice may be lost, an event
 *  is not.
 *  1. It continues where it stopped: no journal entry is skipped, even if a read failed in between.
 *  2. An event leads to a read of its actor only if its change has not been sent. The deliveries that
 *     result from it are checked one pass later, when they exist. */
import { webhookEndpointsMax } from '../../actors/project/messages.ts';
import { deliveryIdOf } from '../../actors/webhook-delivery/messages.ts';
import { subscribesTo } from '../../actors/webhook-endpoint/dispatch.ts';
import type { EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { addressFrom, type Scope } from '../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Row, Store } from '../../src/store/store.ts';

/** Journal entries per read. */
const pageMax = 256;
/** Deliveries checked per pass; the rest wait for their notice. */
const deliveriesMax = 1_000;

export interface JournalCheckParts {
  readonly client: Pick<Client, 'eventsUpTo' | 'list'>;
  /** Entries of a journal after a position, in order. */
  readonly journalAfter: Store['journalAfter'];
}

/** Whether this state of the object, or a later one, has been sent. */
type IsDelivered = (id: string, sequence: number) => boolean;
type Endpoint = Snapshot<EndpointState>;

export class JournalCheck {
  private readonly scope: Scope;
  private readonly parts: JournalCheckParts;
  /** The position up to which it has read; null before it began. */
  private place: number | null = null;
  private expected: readonly string[] = [];

  constructor(scope: Scope, parts: JournalCheckParts) {
    this.scope = scope;
    this.parts = parts;
  }

  /** From here on nothing is missed. Rejects when the store does not answer. */
  async begin(): Promise<void> {
    this.place ??= await this.head();
  }

  /** The actors whose events have not been sent, and the deliveries that have not been reported. Rejects
   *  when the store does not answer: the next pass then begins at the same position. */
  async undelivered(isDelivered: IsDelivered): Promise<readonly string[]> {
    const rows = await this.rows();
    const endpoints = rows.length === 0 ? [] : await this.endpoints();
    const actors = rows.filter((row) => !isDelivered(...deliveredBy(row))).map(actorOf);
    const deliveries = this.expected.filter((id) => !isDelivered(id, 0));
    this.expected = rows.flatMap((row) => deliveriesOf(row, endpoints)).slice(0, deliveriesMax);
    this.place = placeOf(rows.at(-1)) ?? this.place;
    return [...new Set([...actors, ...deliveries])];
  }

  private async rows(): Promise<readonly Row[]> {
    const head = await this.head();
    const found: Row[] = [];
    for (let place = (this.place ??= head); place < head;) {
      const page = await this.parts.journalAfter(this.scope, place, pageMax);
      found.push(...page.filter((row) => (placeOf(row) ?? 0) <= head));
      place = page.length < pageMax ? head : (placeOf(page.at(-1)) ?? head);
    }
    return found;
  }

  /** Committed position of the log: everything before it is written and will not change. */
  private async head(): Promise<number> {
    return this.parts.client.eventsUpTo(this.scope);
  }

  private async endpoints(): Promise<readonly Endpoint[]> {
    const { items } = await this.parts.client.list({
      kind: 'webhook_endpoint',
      scope: this.scope,
      page: 1,
      limit: webhookEndpointsMax,
    });
    // a list of a kind holds documents of that kind
    return items.map((item) => item as unknown as Endpoint);
  }
}

/** From a journal entry; the runtime wrote its fields, so their types are trusted here. */
const placeOf = (row: Row | undefined): number | undefined =>
  row === undefined ? undefined : Number(row.body['pos']);

function deliveredBy({ body }: Row): [id: string, sequence: number] {
  const { sequence } = JSON.parse(body['envelope'] as string) as { readonly sequence: number };
  return [body['objectId'] as string, sequence];
}

/** Its key is `<actor>:<eseq>`. */
const actorOf = ({ id }: Row): string => addressFrom(id.slice(0, id.lastIndexOf(':'))).id;

const deliveriesOf = ({ body }: Row, endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints
    .filter(({ state }) => subscribesTo(state, body['event'] as string))
    .map(({ meta }) => deliveryIdOf(meta.id, body['eventId'] as string));
