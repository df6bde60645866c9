/** What subscriptions are billed by. Amount, interval and trial never change: those who subscribed agreed to
 *  them. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { metadataKeysMax } from '../checkout-session/order.ts';
import { isSameJson, mergedMetadata } from '../metadata.ts';
import type { PlanCommands, PlanFields, PlanState, PlanTypes } from './messages.ts';
import { planView } from './view.ts';

type X = Turn<PlanTypes>;

export const plan = actor<PlanTypes>('plan', 'bp', {
  schema: 1,
  on: {
    create: {
      by: 'merchant',
      creates: (request, x) =>
        x.become('active', { ...request, sequence: 1, createdAt: x.now, updatedAt: x.now }),
      _any: (_plan, _command, x) => x.ok(),
    },
    change: { by: 'merchant', _any: change },
  },
  effects: {},
  timers: {},
  view: planView,
  indexes: ['status'],
});

function change(
  before: PlanState,
  { active, terms, metadata, ...set }: PlanCommands['change'],
  x: X,
): Verdict {
  const { status: was, ...fields } = before;
  const after: PlanFields = {
    ...fields,
    ...set,
    terms: { ...fields.terms, ...terms },
    metadata: mergedMetadata(fields.metadata, metadata),
  };
  if (Object.keys(after.metadata).length > metadataKeysMax) return x.refuse('metadata_too_many_keys');
  const status = (active ?? was === 'active') ? 'active' : 'inactive';
  if (status === was && isSameJson(fields, after)) return x.ok();
  return x.become(status, { ...after, sequence: before.sequence + 1, updatedAt: x.now });
}
