/** A merchant account: the owner of projects, its plan, and whether it may trade now.
 *  M1. Suspension only blocks new requests; it stops nothing that is already running.
 *  M2. While it is suspended, only the operator changes it. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import type { MerchantCommands, MerchantState, MerchantTypes } from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<MerchantTypes>;

export const merchant = actor<MerchantTypes>('merchant', 'mer', {
  schema: 1,
  on: {
    open: {
      by: ['operator', 'system'],
      creates: (c, x) =>
        x.become('active', {
          ...c,
          verified: false,
          logoUrl: null,
          shopUrl: null,
          createPerSecond: null,
          createdAt: x.now,
          updatedAt: x.now,
        }),
      _any: (_s, _c, x) => x.ok(),
    },
    suspend: {
      by: 'operator',
      active: (s, { reason }, x) =>
        x.become('suspended', { ...s, updatedAt: x.now, suspension: { at: x.now, reason } }),
      // the start of the suspension stays; a better reason replaces the first one
      suspended: (s, { reason }, x) =>
        reason === s.suspension.reason
          ? x.ok()
          : x.become('suspended', { ...s, updatedAt: x.now, suspension: { ...s.suspension, reason } }),
    },
    unsuspend: {
      by: 'operator',
      active: (_s, _c, x) => x.ok(),
      suspended: ({ suspension: _over, ...s }, _c, x) => x.become('active', { ...s, updatedAt: x.now }),
    },
    change: { by: 'operator', _any: change },
    changeBusiness: {
      by: 'merchant',
      active: change,
      suspended: (s, _c, x) =>
        x.refuse('account_suspended', {
          suspended_at: iso(s.suspension.at),
          reason: s.suspension.reason,
        }),
    },
  },
  effects: {},
  timers: {},
  view: merchantView,
  indexes: ['email', 'status', 'plan'],
});

export const merchantKind = {
  actor: merchant,
} as const satisfies Kind;

function change(s: MerchantState, c: MerchantCommands['change'], x: X): Verdict {
  if (s.status === 'active') return x.become('active', { ...s, ...c, updatedAt: x.now });
  return x.become('suspended', { ...s, ...c, updatedAt: x.now });
}

/** The merchant of docs/reference/api/merchants.md, with everything an operator may change. */
export function merchantView(s: MerchantState, { id }: { readonly id: string }) {
  const suspension = s.status === 'suspended' ? s.suspension : null;
  return {
    id,
    name: s.name,
    email: s.email,
    plan: s.plan,
    suspended: s.status === 'suspended',
    suspension: suspension === null ? null : { suspended_at: iso(suspension.at), reason: suspension.reason },
    verified: s.verified,
    logoUrl: s.logoUrl,
    shopUrl: s.shopUrl ?? null,
    createPerSecond: s.createPerSecond,
    projectId: s.projectId,
    createdAt: iso(s.createdAt),
    updatedAt: iso(s.updatedAt),
  };
}
