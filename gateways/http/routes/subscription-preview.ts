/** What an action on a subscription would do: its own answer, with nothing changed. */
import { Type, type Static } from 'typebox';
import { previewOf } from '../../../actors/subscription/ahead.ts';
import { done, notFound, type Answer } from '../route/answer.ts';
import { route, type ById, type Call } from '../route/spec.ts';
import { actionPreview, actions } from '../schemas/subscription-preview.ts';
import { cancelBody, changePlanBody, extendTrialBody, pauseBody } from './subscription-actions.ts';
import { askings, refusedBy } from './subscription-asks.ts';
import { subscriptionIn, subscriptions, type SubscriptionParts } from './subscriptions.ts';

const previewQuery = Type.Object({
  action: Type.Enum([...actions], { description: 'The action, as in its path.' }),
  // the fields of the actions, each as in the body of its own
  ...pauseBody.properties,
  ...cancelBody.properties,
  ...Type.Partial(changePlanBody).properties,
  ...Type.Partial(extendTrialBody).properties,
});

export const subscriptionPreviewRoute = (parts: Pick<SubscriptionParts, 'client'>) =>
  route({
    method: 'GET',
    at: { api: '/v1/billing/subscriptions/{id}/preview', dashboard: true },
    resource: subscriptions,
    operation: 'previewSubscriptionAction',
    summary: 'Preview what an action would do',
    description:
      'Nothing is changed. The query has the fields of the action beside its name. What the state would refuse is ' +
      'refused with the same error.',
    answer: actionPreview,
    errors: ['invalid_state', 'plan_unchanged', 'plan_inactive'],
    object: 'subscription',
    key: 'secret',
    reply: 200,
    query: previewQuery,
    handle: (call) => previewed(parts, call),
  });

async function previewed(
  parts: Pick<SubscriptionParts, 'client'>,
  { caller, params, query }: Call<'secret', unknown, Static<typeof previewQuery>, ById>,
): Promise<Answer> {
  const { scope } = caller;
  const found = await subscriptionIn(parts.client, params.id, scope);
  if (found === null) return notFound;
  const { action, ...fields } = query;
  const asking = await askings[action]({ parts, caller, found, fields });
  if (!('command' in asking)) return asking;
  const { state } = found;
  const preview = previewOf(state, parts.client.now(scope), asking.command, asking.data);
  if (typeof preview !== 'string') return done({ action, ...preview });
  const detail: { readonly [field: string]: string } =
    preview === 'invalid_state' ? { currentStatus: state.status } : {};
  return refusedBy(asking, { is: 'refused', code: preview, detail });
}
