/** The runners of sessions and deliveries. The provider is the ledger; webhooks go through the service's own
 *  runner, to shops that take them, refuse them or are never heard of. */
import type { EffectContext } from '../../src/runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import type { Http } from '../../src/outbound/http.ts';
import { webhookPost } from '../../src/outbound/webhook-post.ts';
import type { SessionCommands, SessionEffects } from '../../actors/checkout-session/commands.ts';
import type { LookupAnswer, LookupOutcome } from '../../src/providers/answers.ts';
import { deliveryIdOf, type DeliveryEffects } from '../../actors/webhook-delivery/messages.ts';
import type { Attempt, Ledger } from './ledger.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';
import { versions } from '../support/alone.ts';

type Start = SessionEffects['provider.start'];
type Lookup = SessionEffects['provider.lookup'];
type Refund = SessionEffects['provider.refund'];
type Post = DeliveryEffects['webhook.post'];

export const shopEffects = (world: World, self: () => Process): EffectRunners => {
  const overtaking = new Map<string, boolean>();
  const http = shopServers(world, self, overtaking);
  const seal = { open: () => 'whsec_c2VjcmV0' };
  const posts = () =>
    webhookPost({
      reads: self().reads,
      seal,
      versions,
      guarded: http,
      unguarded: null,
      scheduler: self().scheduler,
    });
  let poster: ReturnType<typeof posts> | null = null;
  return {
    'provider.start': {
      atOnce: 20,
      waitingMax: 4,
      run: (data: Start, context: EffectContext): Promise<SessionCommands['startAnswered']> => {
        world.began(self(), 'provider.start', context);
        const { paymentId, amount } = data;
        return world.outside(self(), () =>
          startedAs(data, world.ledger.start(paymentId, context.actorId, amount)),
        );
      },
    },
    'provider.lookup': {
      atOnce: 20,
      waitingMax: 4,
      run: (data: Lookup, context: EffectContext): Promise<SessionCommands['lookupAnswered']> => {
        world.began(self(), 'provider.lookup', context);
        return world.outside(self(), () => lookedUp(data, world.ledger));
      },
    },
    'provider.refund': {
      atOnce: 4,
      waitingMax: 2,
      run: (data: Refund, context: EffectContext): Promise<SessionCommands['refundAnswered']> => {
        world.began(self(), 'provider.refund', context);
        const { refundId, paymentId, amount } = data;
        return world.outside(self(), () => refunded(data, world.ledger.refund(refundId, paymentId, amount)));
      },
    },
    'webhook.post': {
      atOnce: 10,
      adaptive: { atOnceMax: 100, feedback: (result: never) => poster?.adaptive.feedback(result) ?? 'same' },
      waitingMax: 2,
      run: (data: Post, context: EffectContext) => {
        world.began(self(), 'webhook.post', context);
        overtaking.set(data.deliveryId, data.overtakes);
        poster ??= posts();
        return poster.run(data, context);
      },
    },
  };
};

const startedAs = ({ paymentId }: Start, { handle }: Attempt): SessionCommands['startAnswered'] => ({
  paymentId,
  durationMs: 5,
  answer: {
    outcome: 'started',
    lookupReference: handle,
    providerExpiresAt: null,
    instructions: { kind: 'redirect', method: 'GET', url: `https://wallet.example/${handle}`, fields: {} },
  },
});

const outcomes = { open: 'pending', paid: 'paid', cancelled: 'cancelled', declined: 'failed' } as const;

const refunded = ({ refundId }: Refund, outcome: 'done' | 'refused'): SessionCommands['refundAnswered'] => ({
  refundId,
  answer: {
    outcome,
    providerRefundId: null,
    message: outcome === 'done' ? null : 'Nothing is left.',
    httpStatus: outcome === 'done' ? 200 : 400,
    durationMs: 5,
    raw: null,
  },
});

function outcomeOf(ledger: Ledger, attempt: Attempt): LookupOutcome {
  const returned = ledger.returnedOf(attempt.paymentId);
  if (returned === 0) return outcomes[attempt.status];
  return returned < attempt.amount ? 'partially_refunded' : 'refunded';
}

function lookedUp({ paymentId, cause }: Lookup, ledger: Ledger): SessionCommands['lookupAnswered'] {
  const attempt = ledger.attempts.get(paymentId);
  const answer: LookupAnswer = {
    outcome: attempt === undefined ? 'not_found' : outcomeOf(ledger, attempt),
    answered: true,
    amountPaisa: attempt?.amount ?? null,
    reference: attempt?.handle ?? null,
    providerRef: attempt?.status === 'paid' ? `txn-${paymentId}` : null,
    traceId: null,
    failureCode: null,
    fee: null,
    httpStatus: 200,
    durationMs: 5,
    raw: null,
  };
  return { paymentId, cause, answer };
}

/** Shops: they accept webhooks, answer 2xx or 500, or never answer. */
const shopServers = (world: World, self: () => Process, overtaking: ReadonlyMap<string, boolean>): Http => ({
  send: async ({ url, headers, body }) => {
    const endpointId = String(url).split('/').at(-1) ?? '';
    const eventId = headers['webhook-id'] ?? '';
    const arrive = (): number => {
      const taken = !world.refuses(String(body)) && world.chance() >= world.outsideTrouble;
      world.ledger.receive(endpointId, eventId, String(body), taken);
      const deliveryId = deliveryIdOf(endpointId, eventId);
      world.trace(`webhook ${deliveryId} ${taken ? 'taken' : 'refused'}`);
      world.checkers.posted({
        endpointId,
        deliveryId,
        eventId,
        overtakes: overtaking.get(deliveryId) === true,
        body: String(body),
      });
      return taken ? 200 : 500;
    };
    return world.outside(self(), arrive).then(
      (status) => ({
        is: 'answered' as const,
        status,
        headers: {},
        body: Buffer.alloc(0),
        cut: null,
        durationMs: 5,
      }),
      (thrown: unknown) => ({ is: 'unanswered' as const, reason: String(thrown), durationMs: 5 }),
    );
  },
  close: () => Promise.resolve(),
});
