/** Documents of two versions side by side: every actor whose schema has changed can write its state in the older ones. */
import { describe, expect, test } from 'vitest';
import { cast } from '../../actors/cast.ts';
import { checkoutSession } from '../../actors/checkout-session/session.ts';
import { eventLog } from '../../actors/event-log/event-log.ts';
import type { ProviderSettings } from '../../actors/project/messages.ts';
import { project } from '../../actors/project/project.ts';
import type { AnyActor } from '../../src/runtime/model/actor.ts';
import { lowered } from '../../src/runtime/model/downcast.ts';
import { given } from '../support/simulated/test-runner.ts';
import {
  comesBack,
  created,
  hours,
  minutes,
  opens,
  pay,
  picks,
  running,
  says,
} from './checkout-session/buyer.ts';
import { answer, asked, shown } from './checkout-session/qr-code.ts';
import { asksRefund } from './checkout-session/refunding.ts';

const session: AnyActor = checkoutSession;
const log: AnyActor = eventLog;

test.each(cast.filter(({ schema }) => schema > 1).map((actor) => [actor.kind, actor] as const))(
  '%s has older schemas: it reads them, and can be written in them',
  (_kind, actor) => {
    expect(actor.upcast).toBeTypeOf('function');
    expect(actor.downcast).toBeTypeOf('function');
  },
);

describe('a checkout session written in schema 1, which had no Direct-QR', () => {
  test.each([
    ['a new one', () => created()],
    ['one whose buyer has chosen', () => picks(created(), 1)],
    ['one whose payment runs', () => running(created())],
    ['a paid one', () => says(comesBack(running(created())), 'paid')],
    ['an expired one', () => opens(picks(created(), 1)).when('expire', {})],
  ])('%s is said, and comes back as it was', (_what, story) => {
    const { state } = story();
    const low = lowered(session, state as never, 1);
    expect(low).toMatchObject({ status: state.status });
    expect(JSON.stringify(low)).not.toMatch(/qrLog|qrMessage|socketUrl|refunds/);
    expect(session.upcast?.(low, 1)).toEqual(state);
  });

  test.each([
    ['a hidden Direct-QR one', () => asked()],
    ['one that shows its code', () => shown()],
    ['one that has ended', () => shown().when('expire', {})],
  ])('%s cannot be written: it waits until every node knows the newer schema', (_what, story) => {
    expect(lowered(session, story().state as never, 1)).toBeNull();
  });
});

describe('a checkout session written in schema 2, which had no wait at the end of a QR code', () => {
  const qr = () => picks(created(), 1, 'qr_a').settle('provider.start', answer);

  test.each([
    ['one that shows a code', () => qr()],
    ['one of Direct-QR', () => shown()],
    ['one that waits for its last look-up', () => running(created()).wait(hours(1))],
  ])('%s is written as in schema 9, but for the refunds', (_what, story) => {
    const { state } = story();
    const { refunds: none, ...without } = lowered(session, state as never, 9) ?? {};
    expect(none).toEqual([]);
    expect(lowered(session, state as never, 2)).toEqual(without);
    expect(session.upcast?.(lowered(session, state as never, 2), 2)).toEqual(state);
  });

  test('a session in the last look-up of its code cannot be written', () => {
    const story = qr();
    story.now += minutes(3);
    story.when('attemptOver', { key: pay(1) });
    expect(story.state).toMatchObject({ waiting: { is: 'attemptEnd' } });
    expect(lowered(session, story.state as never, 2)).toBeNull();
  });
});

describe('a checkout session written in schema 3, which had no refunds', () => {
  const paid = () => says(comesBack(running(created())), 'paid');

  test('is written while there are none', () => {
    const { state } = paid();
    const low = lowered(session, state as never, 3);
    expect(JSON.stringify(low)).not.toContain('refunds');
    expect(session.upcast?.(low, 3)).toEqual(state);
  });

  test('cannot be written once there is one: it waits for the newer nodes', () => {
    const { state } = asksRefund(paid(), 1, 100);
    expect(lowered(session, state as never, 3)).toBeNull();
  });
});

test('an event log can be written in schema 1, which had no publishing, while nothing waits to be published', () => {
  const state = { status: 'open', pos: 7, dispatched: 5, published: 5 };
  expect(lowered(log, state, 1)).toEqual({ status: 'open', pos: 7, dispatched: 5 });
  expect(lowered(log, { ...state, published: 4 }, 1)).toBeNull();
});

describe('a project written in schema 1, whose providers had no place on the page', () => {
  const changed = (change: Partial<ProviderSettings> = {}) =>
    given(project, { id: 'prj_pjc0e83mhrawse3s6h8bhrbw', scope: 'system' })
      .when('open', { merchantId: 'mer_1', name: 'Shop', providers: [] })
      .when('setProvider', { provider: 'wallet_b', mode: 'sandbox', sealedCredentials: 's1.x', ...change })
      .state;
  const actor: AnyActor = project;

  test('is read, with the settings that applied then', () => {
    const stored = { provider: 'wallet_b', mode: 'sandbox', enabled: true, sealedCredentials: 's1.x' };
    const { providers: _now, ...rest } = changed();
    expect(actor.upcast?.({ ...rest, providers: [stored] } as never, 1)).toEqual(changed());
  });

  test('is written while nothing is set that only the newer schema has', () => {
    const low = lowered(actor, changed({ refundsNeedMobile: true }) as never, 1);
    expect(JSON.stringify(low)).not.toMatch(/order|appIntent/);
    expect(actor.upcast?.(low, 1)).toEqual(changed({ refundsNeedMobile: true }));
  });

  test.each([{ order: 7 }, { appIntent: true }, { sealedCredentials: null, enabled: false }])(
    'cannot be written with %j: it waits for the newer nodes',
    (change) => expect(lowered(actor, changed(change) as never, 1)).toBeNull(),
  );
});
