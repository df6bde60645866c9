/** Runs the effects `webhook.sweep` and `webhook.recover`: what a webhook endpoint does to many of its
 *  deliveries, part by part.
 *  1. A run does a bounded part of the work, and doing it twice is harmless.
 *  2. Deliveries of one object are queued in the order of the log, one after the other.
 *  3. An event that the endpoint has accepted, or that is queued, is left as it is. */
import {
  deliveryIdOf,
  webhookDeliveryAt,
  type DeliveryState,
  type Opening,
} from '../../actors/webhook-delivery/messages.ts';
import { includesKind } from '../../actors/webhook-endpoint/dispatch.ts';
import {
  type EndpointCommands,
  type EndpointEffects,
  type EndpointState,
} from '../../actors/webhook-endpoint/messages.ts';
import type { EffectContext } from '../runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';
import type { AskResult } from '../runtime/model/envelope.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { DocReader } from '../runtime/model/upcast.ts';
import { disorderMsMax, positionAt, positionOf } from '../runtime/delivery/journal-position.ts';
import type { Row, Store } from '../store/store.ts';

export interface BacklogParts {
  readonly docs: DocReader;
  readonly store: Pick<Store, 'journalAfter'>;
  /** Called when the first effect runs. */
  readonly client: () => Pick<Client, 'ask'>;
}

type Sweep = EndpointEffects['webhook.sweep'];
type Recover = EndpointEffects['webhook.recover'];
type Context = Pick<EffectContext, 'scope'>;

/** Entries of the log in one run. */
export const entriesPerRun = 100;
/** Deliveries that are queued together. Those of one object wait for each other, so the fewer, the nearer to their age
 *  the endpoint gets them all. */
const queuedAtOnce = 4;
/** Deliveries that one run ends, in pages. */
export const sweepPage = 100;
const sweepPagesPerRun = 20;

export const backlogEffects = (parts: BacklogParts): EffectRunners => ({
  'webhook.sweep': { run: (data: Sweep, context: Context) => sweep(parts, data, context), atOnce: 1 },
  'webhook.recover': { run: (data: Recover, context: Context) => recover(parts, data, context), atOnce: 1 },
});

/** Those with a try in progress, or waiting for their turn, end by themselves. */
async function sweep(
  parts: BacklogParts,
  { endpointId, term }: Sweep,
  { scope }: Context,
): Promise<EndpointCommands['swept']> {
  for (let pages = 0; pages < sweepPagesPerRun; pages++) {
    if (await isEnabled(parts.docs, endpointId)) return { term, more: false };
    const { items } = await parts.docs.list({
      kind: 'webhook_delivery',
      scope,
      equals: { endpointId },
      anyOf: { status: ['pending', 'retrying'], post: ['held', 'due'] },
      page: 1,
      limit: sweepPage,
    });
    if (items.length === 0) return { term, more: false };
    const asking = { by: 'system', scope, idempotent: true } as const;
    const ends = items.map(({ id }) =>
      parts.client().ask(webhookDeliveryAt(id), 'endpointOff', { term }, asking),
    );
    for (const result of await Promise.all(ends)) assertExecuted(result);
  }
  return { term, more: true };
}

async function isEnabled(docs: DocReader, endpointId: string): Promise<boolean> {
  const doc = await docs.read('webhook_endpoint', endpointId);
  return (doc?.body as EndpointState | null | undefined)?.status === 'enabled';
}

async function recover(
  parts: BacklogParts,
  data: Recover,
  { scope }: Context,
): Promise<EndpointCommands['recovered']> {
  const { round, since, to } = data;
  const { store } = parts;
  const journalAfter: Store['journalAfter'] = (...asked) => store.journalAfter(...asked);
  const after = data.after ?? (await positionAt(journalAfter, scope, to, since - disorderMsMax));
  const rows = await journalAfter(scope, after, entriesPerRun);
  const wanted = await missed(parts, rows, data);
  for (let from = 0; from < wanted.length; from += queuedAtOnce) {
    const lists = byObject(wanted.slice(from, from + queuedAtOnce));
    await Promise.all(lists.map((list) => queue(parts, list, data, scope)));
  }
  const last = rows.at(-1);
  return { round, after: last === undefined || rows.length < entriesPerRun ? to : positionOf(last) };
}

/** Of these entries those that the endpoint should have accepted and has not, and that are not queued. */
async function missed(
  { docs }: BacklogParts,
  rows: readonly Row[],
  { endpointId, since, to, events }: Recover,
): Promise<readonly Row[]> {
  const wanted = rows.filter(
    (row) =>
      positionOf(row) <= to &&
      row.created >= since &&
      includesKind(events, textIn(row, 'event')) &&
      row.body['objectId'] !== endpointId,
  );
  const states = await Promise.all(
    wanted.map(async (row) => {
      const doc = await docs.read('webhook_delivery', deliveryIdOf(endpointId, eventIdOf(row)));
      return doc === null || doc.gone ? null : (doc.body as DeliveryState | null);
    }),
  );
  return wanted.filter((_, at) => (states[at]?.status ?? 'failed') === 'failed');
}

function byObject(rows: readonly Row[]): readonly (readonly Row[])[] {
  const lists = new Map<string, Row[]>();
  for (const row of rows) {
    const objectId = textIn(row, 'objectId');
    lists.set(objectId, [...(lists.get(objectId) ?? []), row]);
  }
  return [...lists.values()];
}

async function queue(
  { client }: BacklogParts,
  rows: readonly Row[],
  { endpointId, term, round }: Recover,
  scope: Scope,
): Promise<void> {
  for (const row of rows) {
    const eventId = eventIdOf(row);
    const opening: Opening = {
      endpointId,
      eventId,
      eventType: textIn(row, 'event'),
      journalId: row.id,
      objectId: textIn(row, 'objectId'),
      pos: positionOf(row),
      eventAt: row.created,
      ...(term === 0 ? {} : { term }),
    };
    const to = webhookDeliveryAt(deliveryIdOf(endpointId, eventId));
    const asking = { by: 'system', scope, idempotent: true } as const;
    assertExecuted(await client().ask(to, 'recover', { ...opening, round }, asking));
  }
}

const textIn = ({ body }: Row, field: string): string => body[field] as string;
const eventIdOf = (row: Row): string => textIn(row, 'eventId');

/** A delivery that cannot be handled is left out; one that could not be reached is tried again. */
function assertExecuted(result: AskResult): void {
  if (result.is === 'not_executed' || result.is === 'unknown') throw new Error('a delivery was not reached');
}
