/** Every cell of docs/reference/webhook-states.md, driven at the running service. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';
import {
  change,
  deliveriesOf,
  deliveryOf,
  endpointOf,
  Hooks,
  recover,
  rotate,
  untilDelivery,
  untilEnabled,
  untilHeard,
  type Hook,
} from '../support/hooks.ts';
import { tableIn, type Table } from '../support/tables.ts';

const page = 'docs/reference/webhook-states.md';
const cannotHappen = '–';

const galla = gallaOfFile();
let hooks: Hooks;
beforeAll(async () => {
  hooks = await Hooks.open(galla);
});

const created = 'checkout.created';
const expired = 'checkout.expired';
const tenTriesSeconds = 84 * 3600;
const dayAgo = (): number => Date.now() - 86_400_000;

/** Each trigger that can happen, with the columns it is driven in. */
function cellsOf({ columns, rows }: Table) {
  return rows.flatMap(({ name, cells }) =>
    cells.flatMap((cell, at) =>
      cell === cannotHappen ? [] : [{ trigger: name, from: columns[at] ?? '', cell }],
    ),
  );
}

describe('a delivery', () => {
  /** A delivery in some status, and its endpoint. */
  interface Case {
    readonly hook: Hook;
    readonly id: string;
  }
  const caseOf = async (hook: Hook, type: string, status: string): Promise<Case> => ({
    hook,
    id: (await untilDelivery(hook, type, status)).text('id'),
  });

  const cases: { readonly [status: string]: () => Promise<Case> } = {
    /** It waits for an earlier event of its object, which has failed once. */
    async pending() {
      const hook = await hooks.add({ '*': 500 });
      const session = await hook.shop.checkout();
      await untilDelivery(hook, created, 'retrying');
      await hook.shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
      const one = await caseOf(hook, expired, 'pending');
      hook.answers[created] = 200;
      return one;
    },
    async retrying() {
      const hook = await hooks.add({ '*': 500 });
      await hook.shop.checkout();
      return caseOf(hook, created, 'retrying');
    },
    async success() {
      const hook = await hooks.add({ '*': 200 });
      await hook.shop.checkout();
      return caseOf(hook, created, 'success');
    },
    /** After a 410; the endpoint was enabled again. */
    async failed() {
      const hook = await hooks.add({ '*': 410 });
      await hook.shop.checkout();
      const one = await caseOf(hook, created, 'failed');
      await untilEnabled(hook, false);
      await change(hook, { enabled: true });
      return one;
    },
  };

  const retried =
    (status: number) =>
    async ({ hook, id }: Case) => {
      hook.answers['*'] = status;
      const before = await deliveryOf(hook, id);
      const answer = await hook.shop.api.post(`/v1/webhooks/deliveries/${id}/retry`);
      if (answer.status !== 200) return answer;
      await eventually(
        async () => ((await deliveryOf(hook, id)).at('attempts') !== before.at('attempts') ? true : null),
        () => `a try of ${id}`,
      );
      return answer;
    };
  /** Its answer, after a moment in which nothing was sent. */
  const refusedRetry = async ({ hook, id }: Case): Promise<Answer> => {
    // a try that was under way ends by itself
    await hook.shop.advance(1);
    const heard = hook.heard().length;
    const answer = await hook.shop.api.post(`/v1/webhooks/deliveries/${id}/retry`);
    await hook.shop.advance(1);
    expect(hook.heard()).toHaveLength(heard);
    return answer;
  };
  const next =
    (status: number) =>
    async ({ hook }: Case) => {
      hook.answers['*'] = status;
      await hook.shop.advance(6);
    };
  const triggers: { readonly [name: string]: (one: Case) => Promise<Answer | void> } = {
    'a try is answered 2xx': next(204),
    'a try is not answered 2xx, tries are left': next(302),
    async 'the tenth try is not answered 2xx'({ hook, id }) {
      await hook.shop.advance(tenTriesSeconds);
      expect((await deliveryOf(hook, id)).at('attempts')).toBe(10);
    },
    'a try is answered 410': next(410),
    'the endpoint is disabled': ({ hook }) => change(hook, { enabled: false }),
    'the endpoint is deleted': ({ hook: { shop, id } }) => shop.api.send('DELETE', `/v1/webhooks/${id}`),
    'manual retry, answered 2xx': retried(200),
    'manual retry, not answered 2xx': retried(503),
    'manual retry, the endpoint is disabled': async (one) => {
      await change(one.hook, { enabled: false });
      return refusedRetry(one);
    },
    'manual retry, the endpoint is deleted': async (one) => {
      await one.hook.shop.api.must('DELETE', `/v1/webhooks/${one.hook.id}`);
      return refusedRetry(one);
    },
    'the endpoint is recovered': ({ hook }) => recover(hook, dayAgo()),
  };

  const all = cellsOf(tableIn(page, 'Delivery'));
  test('all its triggers are driven, in all statuses in which they can happen', () => {
    expect(new Set(all.map(({ trigger }) => trigger))).toEqual(new Set(Object.keys(triggers)));
    expect(all).toHaveLength(35);
  });

  test.each(all)('$trigger: $from is $cell', async ({ trigger, from, cell }) => {
    const one = await (cases[from] ?? cases['pending'])?.();
    if (one === undefined) throw new Error(`no delivery is ${from}`);
    const { hook, id } = one;
    const before = await deliveryOf(hook, id);
    expect(`\`${before.text('status')}\``).toBe(`\`${from}\``);
    if (cell === '`pending`') hook.answers['*'] = 500;
    const answer = await triggers[trigger]?.(one);
    if (cell === '409') {
      expect([answer?.status, answer?.body.at('error.currentStatus')]).toEqual([409, from]);
      expect(await deliveryOf(hook, id)).toEqual(before);
      return;
    }
    const off = /^409 `(\w+)`$/.exec(cell)?.[1];
    if (off !== undefined) {
      expect([answer?.status, answer?.body.at('error.currentStatus')]).toEqual([409, off]);
      return;
    }
    expect([undefined, 200]).toContain(answer?.status);
    if (cell === 'unchanged') {
      // all that follows is done when a moment of the test clock has passed
      await hook.shop.advance(1);
      expect((await deliveryOf(hook, id)).at('status')).toBe(from);
      return;
    }
    if (cell === '`pending`') {
      // it is queued, and tried at once
      const again = await untilDelivery(hook, created, 'retrying');
      expect([again.at('id'), again.at('attempts')]).toEqual([id, 2]);
      return;
    }
    await eventually(
      async () => (`\`${(await deliveryOf(hook, id)).text('status')}\`` === cell ? true : null),
      () => `${id} to be ${cell}`,
    );
  });
});

describe('an endpoint', () => {
  const cases: { readonly [state: string]: () => Promise<Hook> } = {
    enabled: () => hooks.add({ '*': 200 }),
    async disabled() {
      const hook = await hooks.add({ '*': 200 });
      await change(hook, { enabled: false });
      return hook;
    },
    async deleted() {
      const hook = await hooks.add({ '*': 200 });
      await hook.shop.api.must('DELETE', `/v1/webhooks/${hook.id}`);
      return hook;
    },
  };

  async function heardNothing(hook: Hook): Promise<void> {
    await hook.shop.untilEvents(1, created);
    await hook.shop.advance(1);
    expect(hook.heard()).toEqual([]);
  }

  /** Disabled with everything that comes with it. */
  async function disabledByUs(hook: Hook, reason: string): Promise<void> {
    const other = await hooks.add({ '*': 200 }, ['webhook_endpoint.disabled'], hook.shop);
    const bring: { readonly [why: string]: () => Promise<unknown> } = {
      async failing() {
        hook.answers['*'] = 500;
        await hook.shop.checkout();
        await untilDelivery(hook, created, 'retrying');
        await hook.shop.advance(121 * 3600);
      },
      async gone() {
        hook.answers['*'] = 410;
        await hook.shop.checkout();
      },
    };
    await bring[reason]?.();
    expect((await untilEnabled(hook, false)).at('disabledReason')).toBe(reason);
    const [told] = await untilHeard(other, 1);
    expect(told).toMatchObject({ type: 'webhook_endpoint.disabled', objectId: hook.id });
    const mails = await eventually(
      async () => {
        const { body } = await hook.shop.api.must('GET', '/v1/test/messages?channel=email');
        const found = body.list('data').filter((one) => one.text('text').includes(hook.path));
        return found.length > 0 ? found : null;
      },
      () => 'a mail to the merchant',
    );
    expect(mails).toHaveLength(1);
  }

  const statusOf = (answer: Answer): string => String(answer.status);
  /** Brings it about, and says what it did in the words of the page. */
  const triggers: { readonly [name: string]: (hook: Hook, cell: string) => Promise<string> } = {
    async 'an event that it receives'(hook) {
      await hook.shop.checkout();
      if ((await hook.shop.api.get(`/v1/webhooks/${hook.id}`)).body.at('enabled') === true) {
        await untilHeard(hook, 1);
        return 'queued';
      }
      await heardNothing(hook);
      return 'not queued';
    },
    async 'every try has failed for 120 hours'(hook) {
      await disabledByUs(hook, 'failing');
      return 'disabled (`failing`), event, e-mail';
    },
    async 'a try is answered 410'(hook) {
      await disabledByUs(hook, 'gone');
      return 'disabled (`gone`), event, e-mail';
    },
    '`PATCH`, `enabled` false': (hook) => patched(hook, { enabled: false }),
    '`PATCH`, `enabled` true': (hook) => patched(hook, { enabled: true }),
    '`PATCH`, another field': (hook) => patched(hook, { description: 'Another' }),
    async 'rotate the secret'(hook) {
      const answer = await rotate(hook);
      if (answer.status !== 200) return statusOf(answer);
      expect(answer.body.text('signing_secret')).not.toBe(hook.secret);
      return 'new secret';
    },
    async test(hook) {
      const answer = await hook.shop.api.post(`/v1/webhooks/${hook.id}/test`, {});
      if (answer.status !== 200) return statusOf(answer);
      hook.answers['*'] = 500;
      await hook.shop.advance(3600);
      expect(hook.heard()).toHaveLength(1);
      return 'one try';
    },
    async recover(hook) {
      await change(hook, { events: ['payment.failed'] });
      await hook.shop.checkout();
      await hook.shop.untilEvents(1, created);
      await change(hook, { events: [created] });
      const answer = await recover(hook, dayAgo());
      if (answer.status !== 200) return statusOf(answer);
      expect(answer.body.at('queued')).toBe(1);
      await untilHeard(hook, 1);
      return 'queued';
    },
    async '`DELETE`'(hook) {
      const answer = await hook.shop.api.send('DELETE', `/v1/webhooks/${hook.id}`);
      return answer.status === 200 ? 'deleted' : statusOf(answer);
    },
  };

  async function patched(hook: Hook, body: object): Promise<string> {
    const before = await hook.shop.api.get(`/v1/webhooks/${hook.id}`);
    const answer = await change(hook, body);
    if (answer.status !== 200) return statusOf(answer);
    const after: Body = await endpointOf(hook);
    expect(answer.body).toEqual(after);
    if (answer.text === before.text) return 'unchanged';
    expect(after.at('sequence')).toBe(Number(before.body.at('sequence')) + 1);
    if (after.at('enabled') === before.body.at('enabled')) return 'changed';
    expect(await deliveriesOf(hook)).toEqual([]);
    return after.at('enabled') === true ? 'enabled' : `disabled (\`${after.text('disabledReason')}\`)`;
  }

  const all = cellsOf(tableIn(page, 'Endpoint'));
  test('all its triggers are driven, in all states in which they can happen', () => {
    expect(new Set(all.map(({ trigger }) => trigger))).toEqual(new Set(Object.keys(triggers)));
    expect(all).toHaveLength(26);
  });

  test.each(all)('$trigger: $from is $cell', async ({ trigger, from, cell }) => {
    const hook = await cases[from]?.();
    if (hook === undefined) throw new Error(`no endpoint is ${from}`);
    expect(await triggers[trigger]?.(hook, cell)).toBe(cell);
  });
});
