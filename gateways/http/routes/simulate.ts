/** POST /v1/test/checkout/{id}/simulate: simulates the buyer's and the provider's actions in sandbox. */
import { Type } from 'typebox';
import { fieldError, isErrorCode } from '../../../src/errors.ts';
import { providerNames } from '../../../src/providers/catalog.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { outcomesShown } from '../../../actors/simulated-payment/outcome-table.ts';
import { doneView, notFound, refused, unavailable, type Answer, type Refused } from '../route/answer.ts';
import { invalid } from '../route/route.ts';
import { route } from '../route/spec.ts';
import type { Simulated, SimulateInput } from '../api-parts.ts';
import { anySessionIn } from './checkout.ts';
import { startedSession } from '../schemas/checkout.ts';
import { sandbox } from './test-clock.ts';

const outcomes = [
  'success',
  'declined',
  'insufficient_funds',
  'cancelled',
  'scanned',
  'lost_redirect',
  'late_success',
  'duplicate_callback',
  'double_payment',
  'wrong_amount',
  'bad_signature',
  'ambiguous',
  'timeout',
  'server_error',
  'outage',
  'never',
  'refund_rejected',
  'refund_timeout',
] as const;

/** Outcomes that a simulated provider of this version supports. */
const playable = outcomesShown;

const delayMsMax = 600_000;

const simulateBody = Type.Object({
  outcome: Type.Enum(outcomes, { description: 'What the buyer and the provider do.' }),
  provider: Type.Optional(
    Type.Enum(providerNames, {
      description: 'Required for a hosted session that is pending: the provider the buyer picks.',
    }),
  ),
  delayMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: delayMsMax, description: 'How long they wait; 0 by default.' }),
  ),
});

export const simulateRoutes = (client: Client, simulate: (input: SimulateInput) => Promise<Simulated>) => [
  route({
    method: 'POST',
    at: { api: '/v1/test/checkout/{id}/simulate' },
    resource: sandbox,
    operation: 'simulateCheckout',
    summary: 'Play the buyer and the provider of a checkout session',
    description:
      'The answer comes when the attempt has started, or when the provider has rejected ' +
      'its start. The outcome follows. The session of an invoice is played, too: its id is in the pay link.',
    answer: startedSession,
    exampleBody: { outcome: 'success', provider: 'wallet_b' },
    errors: ['invalid_state', 'provider_not_configured', 'provider_unavailable'],
    object: 'checkout session',
    key: 'sandbox',
    reply: 200,
    body: simulateBody,
    async handle({ caller, params, body }): Promise<Answer> {
      const id = params.id;
      const { scope } = caller;
      if ((await anySessionIn(client, id, scope)) === null) return notFound;
      const { outcome, provider = null, delayMs = 0 } = body;
      const result = await simulate({ sessionId: id, outcome, provider, delayMs, scope });
      const session = await anySessionIn(client, id, scope);
      if (session === null) return unavailable;
      return result.is === 'done' ? doneView(session.view) : refusal(result, session.view['status']);
    },
  }),
];

function refusal({ code, param, possible }: Extract<Simulated, { is: 'refused' }>, status: unknown): Refused {
  switch (code) {
    case 'required':
      return invalid([fieldError(param ?? 'provider', 'required')]);
    case 'not_in_enum':
      return invalid([fieldError(param ?? 'outcome', 'not_in_enum', (possible ?? playable).join(', '))]);
    case 'invalid_state':
      return refused('invalid_state', {
        message: 'This outcome is not possible for the session any more.',
        ...(typeof status === 'string' ? { currentStatus: status } : {}),
      });
    case 'service_unavailable':
      return unavailable;
    default:
      return refused(isErrorCode(code) ? code : 'internal_error', param === undefined ? {} : { param });
  }
}
