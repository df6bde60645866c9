/** Webhooks from memory: which reads the store is spared, and that what is sent is as if it were read each time. */
import { describe, expect, test } from 'vitest';
import { webhookEndpointAt } from '../../../actors/webhook-endpoint/messages.ts';
import { shop, world, type Received } from './webhook-world.ts';

const payment = 'pay_4t8z1m6q3x9k2v7b';
const other = 'we_pjbpy9ep30dg728y8n6r6p5w';
const idOf = ({ headers }: Received): string => String(headers['webhook-id']);

describe('a process that owns every actor', () => {
  test('reads no endpoint, no list and no journal entry for an event after the first', async () => {
    const { url, received } = await shop(() => 200);
    const { openEndpoint, emit, statusIs, store, scope, counted } = await world();
    const endpoint = await openEndpoint(url);
    const [first = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, first, 'success');
    // the endpoints of the scope, and the deliveries that have not ended
    expect(counted).toEqual({ lists: 3, endpoints: 0, journal: 0 });
    const events = await emit(...Array.from({ length: 5 }, () => ({ objectId: payment, note: 'आशा' })));
    await statusIs(endpoint, events.at(-1) ?? '', 'success');
    expect(counted).toEqual({ lists: 3, endpoints: 0, journal: 0 });
    const stored = await store.journalAfter(scope, 0, 10);
    expect(received.map(({ body }) => body)).toEqual(stored.map(({ body }) => body['envelope']));
  });

  test('an endpoint receives every event after its creation was answered', async () => {
    const [one, two] = [await shop(() => 200), await shop(() => 200)];
    const { openEndpoint, emit, statusIs } = await world();
    const first = await openEndpoint(one.url);
    const [before = ''] = await emit({ objectId: payment });
    await statusIs(first, before, 'success');
    const second = await openEndpoint(two.url, ['*'], other);
    const [after = ''] = await emit({ objectId: payment });
    await statusIs(second, after, 'success');
    expect(two.received.map(idOf)).toEqual([after]);
  });

  test('a change of its address and a disabled or removed endpoint count at once', async () => {
    const [old, fresh] = [await shop(() => 200), await shop(() => 200)];
    const { node, scope, openEndpoint, emit, statusIs } = await world();
    const merchant = { by: 'merchant', scope } as const;
    const moved = await openEndpoint(old.url);
    const gone = await openEndpoint(old.url, ['*'], other);
    const [first = ''] = await emit({ objectId: payment });
    for (const endpoint of [moved, gone]) await statusIs(endpoint, first, 'success');
    await node.client.ask(webhookEndpointAt(moved), 'change', { url: fresh.url }, merchant);
    await node.client.ask(webhookEndpointAt(gone), 'remove', {}, merchant);
    const [second = ''] = await emit({ objectId: payment });
    await statusIs(moved, second, 'success');
    await node.client.ask(webhookEndpointAt(moved), 'change', { enabled: false }, merchant);
    await emit({ objectId: payment });
    await node.client.ask(webhookEndpointAt(moved), 'change', { enabled: true }, merchant);
    const [last = ''] = await emit({ objectId: payment });
    await statusIs(moved, last, 'success');
    expect(old.received).toHaveLength(2);
    expect(fresh.received.map(idOf)).toEqual([second, last]);
  });

  test('an endpoint that was disabled while its event waited gets nothing', async () => {
    const { url, received } = await shop((_one, count) => (count === 1 ? 500 : 200));
    const { node, scope, openEndpoint, emit, statusIs, advance } = await world();
    const endpoint = await openEndpoint(url);
    const [first = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, first, 'retrying');
    await node.client.ask(
      webhookEndpointAt(endpoint),
      'change',
      { enabled: false },
      { by: 'merchant', scope },
    );
    await advance(60_000);
    await statusIs(endpoint, first, 'failed');
    expect(received).toHaveLength(1);
  });

  test('after a restart, nothing is sent before a delivery of the process before has ended', async () => {
    let broken = true;
    const { url, received } = await shop(() => (broken ? 500 : 200));
    const before = await world();
    const endpoint = await before.openEndpoint(url);
    const [first = ''] = await before.emit({ objectId: payment });
    await before.statusIs(endpoint, first, 'retrying');
    before.node.kill();

    broken = false;
    const { emit, statusIs, delivery, advance } = await world({ sim: before.sim });
    const [second = '', elsewhere = ''] = await emit({ objectId: payment }, { objectId: 'cs_another' });
    await statusIs(endpoint, elsewhere, 'success');
    expect(await delivery(endpoint, second)).toMatchObject({ status: 'pending', attempts: 0 });
    await advance(10_000);
    await statusIs(endpoint, second, 'success');
    expect(received.map(idOf)).toEqual([first, elsewhere, first, second]);
  });
});

test('a node of a cluster reads endpoints and earlier deliveries of the store each time', async () => {
  const { url } = await shop(() => 200);
  const { openEndpoint, emit, statusIs, counted } = await world({ alone: false });
  const endpoint = await openEndpoint(url);
  for (let event = 1; event <= 3; event++) {
    const [sent = ''] = await emit({ objectId: payment });
    await statusIs(endpoint, sent, 'success');
    // a text never changes, so it is remembered here too
    expect(counted).toEqual({ lists: 2 * event, endpoints: event, journal: 0 });
  }
});
