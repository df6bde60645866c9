import { expect, test } from 'vitest';
import { merchant } from '../../../actors/merchant/merchant.ts';
import { hours } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';

const opening = {
  name: 'Example Store',
  email: 'owner@shop.example',
  plan: 'free' as const,
  projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw',
};
const opened = () =>
  given(merchant, { id: 'mer_z25mwf0rtqd021aznxd0zrex', scope: 'system' }).when('open', opening);

test('a new merchant is active, on the plan it was given', () => {
  expect(opened().view).toMatchObject({
    id: 'mer_z25mwf0rtqd021aznxd0zrex',
    name: 'Example Store',
    email: 'owner@shop.example',
    plan: 'free',
    suspended: false,
    suspension: null,
    verified: false,
    logoUrl: null,
    createPerSecond: null,
  });
});

test('when suspended it has time and reason; after lifting everything is as before', () => {
  const story = opened().wait(hours(1)).when('suspend', { reason: 'Document review is overdue.' });
  expect(story.view).toMatchObject({
    suspended: true,
    suspension: { suspended_at: '2026-11-20T10:15:00.000Z', reason: 'Document review is overdue.' },
  });
  story.wait(hours(1)).when('unsuspend', {});
  expect(story.view).toMatchObject({
    suspended: false,
    suspension: null,
    updatedAt: '2026-11-20T11:15:00.000Z',
  });
  expect(story.state).not.toHaveProperty('suspension');
});

test('suspending again keeps the first time and takes the new reason', () => {
  const story = opened()
    .when('suspend', { reason: 'first' })
    .wait(hours(1))
    .when('suspend', { reason: 'second' });
  expect(story.view['suspension']).toEqual({ suspended_at: '2026-11-20T09:15:00.000Z', reason: 'second' });
  const { v } = story.doc ?? { v: 0 };
  expect(story.when('suspend', { reason: 'second' }).doc?.v).toBe(v);
});

test('lifting what is not suspended changes nothing', () => {
  expect(opened().when('unsuspend', {}).doc?.v).toBe(1);
});

test('an operator changes single fields, also while it is suspended', () => {
  const story = opened()
    .when('suspend', { reason: 'why' })
    .when('change', { plan: 'premium', verified: true });
  story.when('change', { logoUrl: 'https://shop.example/logo.png', createPerSecond: 250 });
  expect(story.view).toMatchObject({
    plan: 'premium',
    verified: true,
    logoUrl: 'https://shop.example/logo.png',
    createPerSecond: 250,
    name: 'Example Store',
    suspended: true,
  });
  expect(story.when('change', { logoUrl: null }).view['logoUrl']).toBeNull();
});

test.each(['merchant', 'buyer', 'provider', 'system'] as const)(
  'a %s can neither suspend nor promote',
  (by) => {
    const story = opened();
    expect(story.when('suspend', { reason: 'x' }, { by }).last.outcome).toMatchObject({ code: 'not_found' });
    expect(story.when('change', { plan: 'premium' }, { by }).last.outcome).toMatchObject({
      code: 'not_found',
    });
  },
);

test('a merchant changes its name, shop and logo, and nothing else', () => {
  const story = opened();
  const by = { by: 'merchant' } as const;
  const business = { name: 'Asha Books', shopUrl: 'https://asha.example', logoUrl: '/logo/prj_x.png?v=1' };
  expect(story.when('changeBusiness', business, by).view).toMatchObject({ ...business, plan: 'free' });
  expect(story.when('changeBusiness', { shopUrl: null }, by).view).toMatchObject({
    ...business,
    shopUrl: null,
  });
  for (const other of ['operator', 'buyer', 'provider', 'system'] as const)
    expect(story.when('changeBusiness', { name: 'x' }, { by: other }).last.outcome).toMatchObject({
      code: 'not_found',
    });
});

test('while it is suspended a merchant changes nothing', () => {
  const story = opened().when('suspend', { reason: 'Review.' });
  const refused = story.when('changeBusiness', { name: 'Other' }, { by: 'merchant' });
  expect(refused.last.outcome).toMatchObject({
    code: 'account_suspended',
    detail: { suspended_at: '2026-11-20T09:15:00.000Z', reason: 'Review.' },
  });
  expect(refused.view['name']).toBe('Example Store');
});

test('a document without a shop address is read as one that has none', () => {
  const { shopUrl: _absent, ...old } = opened().state;
  const meta = { id: 'mer_z25mwf0rtqd021aznxd0zrex' } as never;
  expect(merchant.view(old, meta)).toMatchObject({ name: 'Example Store', shopUrl: null });
});
