/** Whom subscriptions bill. */
import { iso } from '../../src/kernel/time.ts';
import {
  actor,
  isLive,
  raised,
  type Turn,
  type Verdict,
  type ViewMeta,
} from '../../src/runtime/model/actor.ts';
import { metadataKeysMax } from '../checkout-session/order.ts';
import { isSameJson, mergedMetadata } from '../metadata.ts';
import type { CustomerCommands, CustomerState, CustomerTypes } from './messages.ts';
import { searchTagsOf } from './search.ts';
import type { Kind } from '../kind.ts';

type X = Turn<CustomerTypes>;

export const customer = actor<CustomerTypes>('customer', 'bc', {
  schema: 1,
  on: {
    create: {
      by: 'merchant',
      creates: (request, x) =>
        x.become('open', { ...request, sequence: 1, createdAt: x.now, updatedAt: x.now }),
      _any: (_customer, _command, x) => x.ok(),
    },
    change: { by: 'merchant', _any: change },
  },
  effects: {},
  timers: {},
  restored: raised,
  view: customerView,
  tags: searchTagsOf,
  indexes: ['email', 'externalCustomerId'],
});

export const customerKind = { actor: customer } as const satisfies Kind;

/** The Customer object of docs/reference/api/customers.md. */
export function customerView(customer: CustomerState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>) {
  return {
    id,
    livemode: isLive(scope),
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    externalCustomerId: customer.externalCustomerId,
    metadata: customer.metadata,
    sequence: customer.sequence,
    createdAt: iso(customer.createdAt),
    updatedAt: iso(customer.updatedAt),
  };
}

function change(
  { status, ...before }: CustomerState,
  { metadata, ...set }: CustomerCommands['change'],
  x: X,
): Verdict {
  const after = {
    ...before,
    ...set,
    metadata: mergedMetadata(before.metadata, metadata),
  };
  if (Object.keys(after.metadata).length > metadataKeysMax) return x.refuse('metadata_too_many_keys');
  if (isSameJson(before, after)) return x.ok();
  return x.become(status, { ...after, sequence: before.sequence + 1, updatedAt: x.now });
}
