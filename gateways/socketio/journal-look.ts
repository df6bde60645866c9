/** Looks for what no notice has told of, in the journal of one scope: a notice may be lost, an
 *  event is not.
 *  1. It goes on where it was: nothing in the journal is overlooked, whatever could not be read in between.
 *  2. An event leads to its actor only if what it says has not been told. The deliveries that follow from it are looked
 *     for one look later, when they are there. */
import { eventLogAt, type EventLogState } from '../../actors/event-log/messages.ts';
import { webhookSeatsMax } from '../../actors/project/messages.ts';
import { deliveryIdOf } from '../../actors/webhook-delivery/messages.ts';
import { hears } from '../../actors/webhook-endpoint/dispatch.ts';
import type { EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { addressFrom, type Scope } from '../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Row, Store } from '../../src/store/store.ts';

/** Journal entries of one read. */
const pageMax = 256;
/** Deliveries looked for by one look; the rest waits for its notice. */
const deliveriesMax = 1_000;

export interface JournalLookParts {
  readonly client: Pick<Client, 'read' | 'list'>;
  /** Entries of a journal after a position, in order. */
  readonly journalAfter: Store['journalAfter'];
}

/** Whether this of the object, or something later, has been told. */
type IsTold = (id: string, sequence: number) => boolean;
type Endpoint = Snapshot<EndpointState>;

export class JournalLook {
  private readonly scope: Scope;
  private readonly parts: JournalLookParts;
  /** The place up to which it has looked; null before it began. */
  private place: number | null = null;
  private expected: readonly string[] = [];

  constructor(scope: Scope, parts: JournalLookParts) {
    this.scope = scope;
    this.parts = parts;
  }

  /** From here on nothing is overlooked. Rejects when the store is silent. */
  async begin(): Promise<void> {
    this.place ??= await this.head();
  }

  /** The actors whose events have not been told, and the deliveries nobody has heard of. Rejects when the store is
   *  silent: the next look begins where this one did. */
  async untold(isTold: IsTold): Promise<readonly string[]> {
    const rows = await this.rows();
    const endpoints = rows.length === 0 ? [] : await this.endpoints();
    const actors = rows.filter((row) => !isTold(...saidBy(row))).map(actorOf);
    const deliveries = this.expected.filter((id) => !isTold(id, 0));
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

  /** Where the log stands: all before it is written and will not change. */
  private async head(): Promise<number> {
    const log = await this.parts.client.read<EventLogState>(eventLogAt(this.scope), this.scope);
    return log?.state.pos ?? 0;
  }

  private async endpoints(): Promise<readonly Endpoint[]> {
    const { items } = await this.parts.client.list({
      kind: 'webhook_endpoint',
      scope: this.scope,
      page: 1,
      limit: webhookSeatsMax,
    });
    // a list of a kind holds documents of that kind
    return items.map((item) => item as unknown as Endpoint);
  }
}

/** Of a journal entry; the runtime wrote its fields as what they are taken for here. */
const placeOf = (row: Row | undefined): number | undefined =>
  row === undefined ? undefined : Number(row.body['pos']);

function saidBy({ body }: Row): [id: string, sequence: number] {
  const { sequence } = JSON.parse(body['envelope'] as string) as { readonly sequence: number };
  return [body['objectId'] as string, sequence];
}

/** Its key is `<actor>:<eseq>`. */
const actorOf = ({ id }: Row): string => addressFrom(id.slice(0, id.lastIndexOf(':'))).id;

const deliveriesOf = ({ body }: Row, endpoints: readonly Endpoint[]): readonly string[] =>
  endpoints
    .filter(({ state }) => hears(state, body['event'] as string))
    .map(({ meta }) => deliveryIdOf(meta.id, body['eventId'] as string));
