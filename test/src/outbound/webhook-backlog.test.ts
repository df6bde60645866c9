import { expect, test } from 'vitest';
import { eventLogAt, type EventLogState } from '../../../actors/event-log/messages.ts';
import { webhookEndpointAt, type EndpointState } from '../../../actors/webhook-endpoint/messages.ts';
import { hours, minutes } from '../../../src/kernel/time.ts';
import { entriesPerRun, sweepPage } from '../../../src/outbound/webhook-backlog.ts';
import { shop, world, type Received } from './webhook-world.ts';

const idOf = ({ headers }: Received): string => String(headers['webhook-id']);
type World = Awaited<ReturnType<typeof world>>;

const change = async ({ node, scope }: World, id: string, data: { enabled: boolean }): Promise<void> => {
  const asking = { by: 'merchant', scope } as const;
  expect(await node.client.ask(webhookEndpointAt(id), 'change', data, asking)).toMatchObject({ is: 'ok' });
};

async function recover({ node, scope }: World, id: string, since: number): Promise<void> {
  const log = await node.client.read<EventLogState>(eventLogAt(scope), scope);
  const asked = { since, to: log?.state.pos ?? 0 };
  const asking = { by: 'merchant', scope } as const;
  expect(await node.client.ask(webhookEndpointAt(id), 'recover', asked, asking)).toMatchObject({ is: 'ok' });
}

test('a recovery of more than one part sends each missed event once, and none that is older', async () => {
  const { url, received } = await shop(() => 200);
  const all = await world();
  const { node, scope, emit, advance } = all;
  const id = await all.openEndpoint(url, ['payment.failed']);
  await change(all, id, { enabled: false });
  const of = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ objectId: `cs_${at}`, type: 'payment.failed' }));
  await emit(...of(5));
  await advance(hours(1));
  const since = node.client.now(scope);
  const missed = await emit(...of(entriesPerRun + 30));
  await emit({ objectId: 'cs_other', type: 'checkout.created' }, { objectId: id, type: 'payment.failed' });
  // the log has handed all of them out: to nobody
  await advance(minutes(1));
  await change(all, id, { enabled: true });
  await recover(all, id, since);
  // requested twice, it still sends each once
  await recover(all, id, since);
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(missed.length);
  await advance(minutes(10));
  expect(received.map(idOf).toSorted()).toEqual(missed.toSorted());
  const endpoint = await node.client.read<EndpointState>(webhookEndpointAt(id), scope);
  expect(endpoint?.state).not.toHaveProperty('recovery');
}, 30_000);

test('what waits for another try at a disabled endpoint ends, more than one page of it', async () => {
  const { url, received } = await shop(() => 500);
  const all = await world();
  const { emit, statusIs, advance } = all;
  const id = await all.openEndpoint(url);
  const events = await emit(...Array.from({ length: sweepPage + 20 }, (_, at) => ({ objectId: `cs_${at}` })));
  for (const event of events) await statusIs(id, event, 'retrying');
  const before = received.length;
  await change(all, id, { enabled: false });
  for (const event of events) await statusIs(id, event, 'failed');
  await change(all, id, { enabled: true });
  await advance(hours(24));
  expect(received).toHaveLength(before);
});

test('what a sweep has not reached before it was enabled again is not sent either', async () => {
  const { url, received } = await shop(() => 500);
  const all = await world();
  const id = await all.openEndpoint(url);
  const [event = ''] = await all.emit({ objectId: 'cs_1' });
  await all.statusIs(id, event, 'retrying');
  await Promise.all([change(all, id, { enabled: false }), change(all, id, { enabled: true })]);
  await all.advance(minutes(1));
  await all.statusIs(id, event, 'failed');
  expect(received).toHaveLength(1);
});
