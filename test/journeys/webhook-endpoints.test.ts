import { beforeAll, describe, expect, test } from 'vitest';
import { Body } from '../../src/cli/demo/api.ts';
import type { Received } from '../../src/cli/demo/shop.ts';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';
import {
  change,
  deliveriesOf,
  endpointOf,
  Hooks,
  recover,
  rotate,
  untilDelivery,
  untilEnabled,
  untilHeard,
  verifies,
  type Hook,
} from '../support/hooks.ts';
import { expectRefusal } from '../support/refusal.ts';

const created = 'checkout.created';
const expired = 'checkout.expired';
const hour = 3_600_000;
const parsed = (raw: Buffer): unknown => JSON.parse(raw.toString('utf8'));

const galla = gallaOfFile();
let hooks: Hooks;
beforeAll(async () => {
  hooks = await Hooks.open(galla);
});

describe('webhook endpoints', () => {
  test('row 57: the list has every endpoint of its own mode, in `data` alone', async () => {
    const shop = await galla.merchant();
    const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
    const fields = ['id', 'livemode', 'url', 'events', 'enabled', 'description'];
    const more = ['disabledReason', 'apiVersion', 'sequence', 'createdAt', 'updatedAt'];
    for (const [api, livemode] of [
      [shop.api, false],
      [live, true],
    ] as const) {
      const url = `https://shop.example/${livemode}`;
      await api.must('POST', '/v1/webhooks', { url, events: ['payment.succeeded'] });
      const { body } = await api.must('GET', '/v1/webhooks');
      expect(Object.keys(body.value as object)).toEqual(['data']);
      expect(body.list('data')).toHaveLength(1);
      expect(Object.keys(body.at('data.0') as object)).toEqual([...fields, ...more]);
      expect(body.at('data.0')).toMatchObject({
        url,
        livemode,
        events: ['payment.succeeded'],
        enabled: true,
      });
    }
  });

  test('row 59: an endpoint is changed field by field, and the secret is shown once', async () => {
    const hook = await hooks.add({}, [created]);
    const secretIn = async (): Promise<boolean> => {
      const texts = await Promise.all(
        ['', `/${hook.id}`, `/${hook.id}/deliveries`].map((path) => hook.shop.api.get(`/v1/webhooks${path}`)),
      );
      return texts.some(({ text }) => text.includes('whsec_'));
    };
    const before = await endpointOf(hook);
    const changed = await change(hook, { url: 'https://shop.example/new', description: 'Orders' });
    expect(changed.body.value).toMatchObject({
      url: 'https://shop.example/new',
      description: 'Orders',
      events: [created],
      sequence: 2,
    });
    expect((await change(hook, { description: null, events: [] })).body.value).toMatchObject({
      url: 'https://shop.example/new',
      description: null,
      events: ['*'],
      sequence: 3,
    });
    const same = await change(hook, { description: null, events: ['*'], enabled: true });
    expect(same.body.value).toMatchObject({ sequence: 3 });
    expect((await change(hook, {})).text).toBe(same.text);
    expect(await endpointOf(hook)).toEqual(same.body);
    expect(same.body.at('createdAt')).toBe(before.at('createdAt'));
    expectRefusal(await change(hook, { url: null, events: null, enabled: null }), 'validation_failed', [
      'url wrong_type',
      'events wrong_type',
      'enabled wrong_type',
    ]);
    expectRefusal(await change(hook, { url: 'shop', events: ['payment.paid'] }), 'validation_failed', [
      'url invalid_format',
      'events[0] unknown_event_type',
    ]);
    expect(await secretIn()).toBe(false);
  });

  test('row 59: ten endpoints, and each gets only its kinds', async () => {
    const shop = await galla.merchant();
    const kinds: readonly (readonly string[])[] = [[created], [expired], [created, expired], ['*'], []];
    const all = await Promise.all(kinds.map((events) => hooks.add({}, events, shop)));
    for (let more = all.length; more < 10; more++) await hooks.add({}, ['payment.failed'], shop);
    const eleventh = await shop.api.post('/v1/webhooks', { url: 'https://shop.example/' });
    expectRefusal(eleventh, 'webhook_endpoint_limit_reached');
    const session = await shop.checkout();
    await shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
    for (const [at, counts] of [1, 1, 2, 2, 2].entries()) await untilHeard(all[at] as Hook, counts);
    await shop.advance(1);
    expect(all.map((hook) => hook.heard().map(({ type }) => type))).toEqual([
      [created],
      [expired],
      [created, expired],
      [created, expired],
      [created, expired],
    ]);
    const last = all[0] as Hook;
    await shop.api.must('DELETE', `/v1/webhooks/${last.id}`);
    await eventually(
      async () =>
        (await shop.api.post('/v1/webhooks', { url: 'https://shop.example/' })).status === 201 || null,
      () => 'the place of a deleted endpoint',
    );
  });

  test('row 61: rotated twice within the grace period, the oldest secret ends; without one, at once', async () => {
    const hook = await hooks.add({}, [created]);
    const secrets = [hook.secret];
    for (const hours of [undefined, 168, 0]) {
      const { body } = await rotate(hook, hours);
      secrets.push(body.text('signing_secret'));
      await hook.shop.checkout();
      const last = (await untilHeard(hook, secrets.length - 1)).at(-1) as Received;
      const valid = secrets.map((secret) => verifies(last, secret));
      const overlaps = hours === 0 ? 1 : 2;
      expect(valid).toEqual(secrets.map((_secret, at) => at >= secrets.length - overlaps));
    }
    for (const hours of [-1, 169, 1.5]) expectRefusal(await rotate(hook, hours), 'validation_failed');
    const key = { idempotencyKey: 'rotation-1' };
    const path = `/v1/webhooks/${hook.id}/rotate-secret`;
    const [once, again] = [
      await hook.shop.api.post(path, undefined, key),
      await hook.shop.api.post(path, undefined, key),
    ];
    expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', once.text]);
  });

  test('row 64: what never was accepted is queued too, up to 90 days back, and only of the kinds received now', async () => {
    const hook = await hooks.add({ [created]: 500 }, [created, 'payment.failed']);
    await hook.shop.checkout();
    await untilDelivery(hook, created, 'retrying');
    await hook.shop.advance(84 * 3600);
    const failed = await untilDelivery(hook, created, 'failed');
    expect(failed.at('attempts')).toBe(10);
    const now = Date.parse((await hook.shop.clock()).text('now'));
    const session = await hook.shop.checkout();
    await hook.shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
    const dayMs = 24 * hour;
    expectRefusal(await recover(hook, now - 90 * dayMs - 10_000), 'validation_failed', ['since too_small']);
    expect((await recover(hook, now + dayMs)).body.at('queued')).toBe(0);
    // one has failed, one waits for its second try
    expect((await recover(hook, now - 5 * dayMs)).body.at('queued')).toBe(1);
    await change(hook, { events: [expired, created] });
    hook.answers[created] = 200;
    expect((await recover(hook, now - 89 * dayMs)).body.at('queued')).toBeGreaterThanOrEqual(1);
    await hook.shop.advance(3600);
    const all = await deliveriesOf(hook);
    expect(all.map((one) => `${one.text('eventType')} ${one.text('status')}`).toSorted()).toEqual([
      `${created} success`,
      `${created} success`,
      // the first session has expired by itself meanwhile
      `${expired} success`,
      `${expired} success`,
    ]);
    const accepted = hook.heard().filter(({ id }) => id === failed.text('eventId'));
    expect(accepted.length).toBeGreaterThanOrEqual(11);
    expect(new Set(accepted.map(({ raw }) => raw.toString())).size).toBe(1);
    expectRefusal(await hook.shop.api.post(`/v1/webhooks/${hook.id}/recover`), 'validation_failed', [
      'since required',
    ]);
  });

  test('row 68: recover, its retries and the event list show one id and one body', async () => {
    const hook = await hooks.add({ '*': 500 }, [created]);
    await change(hook, { enabled: false });
    const session = await hook.shop.checkout({ description: 'अर्डर १००१' });
    const [event] = await hook.shop.untilEvents(1, created, session.text('id'));
    await change(hook, { enabled: true });
    expect((await recover(hook, Date.now() - hour)).body.at('queued')).toBe(1);
    await untilHeard(hook, 1);
    hook.answers['*'] = 200;
    await hook.shop.advance(6);
    const heard = await untilHeard(hook, 2);
    expect(heard.map(({ id, raw }) => [id, raw.toString()])).toEqual(
      heard.map(() => [event?.text('id'), JSON.stringify(event?.value)]),
    );
  });

  test('row 65: 120 hours of failures or a 410 disable it, its deliveries end, and enabling starts afresh', async () => {
    const hook = await hooks.add({ '*': 500 }, [created]);
    const other = await hooks.add({}, ['webhook_endpoint.disabled'], hook.shop);
    /** The other endpoint and the merchant know of each time, once. */
    const untilToldOf = async (reasons: readonly string[]): Promise<void> => {
      const told = (await untilHeard(other, reasons.length)).map(({ raw }) => new Body(parsed(raw)));
      const data = reasons.map((disabledReason) => ({ id: hook.id, enabled: false, disabledReason }));
      expect(told.map((event) => event.at('data'))).toMatchObject(data);
      const mails = await eventually(
        async () => {
          const { body } = await hook.shop.api.must('GET', '/v1/test/messages');
          return body.at('total') === reasons.length ? body.list('data') : null;
        },
        () => `${reasons.length} mails`,
      );
      for (const mail of mails) {
        expect(mail.at('subject')).toBe('A webhook endpoint was disabled');
        expect(mail.text('text')).toContain(hook.id);
      }
    };
    await hook.shop.checkout();
    await untilDelivery(hook, created, 'retrying');
    await hook.shop.advance(119 * 3600);
    expect((await endpointOf(hook)).at('enabled')).toBe(true);
    await hook.shop.checkout();
    await hook.shop.advance(2 * 3600);
    expect((await untilEnabled(hook, false)).at('disabledReason')).toBe('failing');
    await eventually(
      async () => (await deliveriesOf(hook)).every((one) => one.at('status') === 'failed') || null,
      () => 'the end of its deliveries',
    );
    await untilToldOf(['failing']);
    const tries = hook.heard().length;
    expect((await change(hook, { enabled: true })).body.at('disabledReason')).toBeNull();
    await hook.shop.advance(119 * 3600);
    expect((await endpointOf(hook)).at('enabled')).toBe(true);
    expect(hook.heard()).toHaveLength(tries);
    // a run of failures of its own
    await hook.shop.checkout();
    await untilHeard(hook, tries + 1);
    await untilDelivery(hook, created, 'retrying');
    await hook.shop.advance(119 * 3600);
    expect((await endpointOf(hook)).at('enabled')).toBe(true);
    await hook.shop.advance(2 * 3600);
    expect((await untilEnabled(hook, false)).at('disabledReason')).toBe('failing');
    await change(hook, { enabled: true });
    hook.answers['*'] = 410;
    await hook.shop.checkout();
    expect((await untilEnabled(hook, false)).at('disabledReason')).toBe('gone');
    await untilToldOf(['failing', 'failing', 'gone']);
  });

  test('a server that asks for time gets it: Retry-After in seconds and as a date, on 429 and 503 only', async () => {
    const server = await galla.shop();
    const shop = await galla.merchant();
    const { id } = await shop.endpoint(server, [created]);
    const waits = async (status: number, value: string): Promise<number> => {
      server.answering = () => ({ status, headers: { 'retry-after': value } });
      const had = (await shop.api.must('GET', `/v1/webhooks/${id}/deliveries`)).body.at('total');
      await shop.checkout();
      const [one] = await eventually(
        async () => {
          const { body } = await shop.api.must('GET', `/v1/webhooks/${id}/deliveries`);
          const [newest] = body.list('data');
          return body.at('total') !== had && newest?.at('status') === 'retrying' ? [newest] : null;
        },
        () => 'a delivery that waits',
      );
      return Date.parse(one?.text('nextAttemptAt') ?? '') - Date.parse(one?.text('lastAttemptAt') ?? '');
    };
    const inAnHour = new Date(Date.now() + hour).toUTCString();
    expect(Math.abs((await waits(503, '7200')) - 2 * hour)).toBeLessThan(20_000);
    expect(Math.abs((await waits(429, inAnHour)) - hour)).toBeLessThan(20_000);
    expect(Math.abs((await waits(503, '999999')) - 24 * hour)).toBeLessThan(20_000);
    expect(await waits(500, '7200')).toBeLessThan(20_000);
  });
});
