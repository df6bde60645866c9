/** Direct-QR: a QR payment without the hosted page. */
import { Type, type Static } from 'typebox';
import { buyerPhoneCharactersMax, nameCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { HiddenSession, SessionState } from '../../../actors/checkout-session/state.ts';
import { sha256Base32 } from '../../../src/kernel/hash.ts';
import { mintId, placedBeside } from '../../../src/kernel/id.ts';
import { iso, minutes, seconds, type DurationMs } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { watchUntil } from '../../live/watch-until.ts';
import type { ApiParts } from '../api-parts.ts';
import { done, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
import { qrImage } from '../qr-image.ts';
import { usableProviders } from '../usable-providers.ts';
import {
  about,
  amount,
  currency,
  email,
  emailText,
  metadata,
  postalAddress,
  text,
} from '../route/schemas.ts';
import { customerOf } from './checkout.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { directQrSession } from '../schemas/checkout.ts';

export const directQr: Resource = {
  name: 'Direct-QR',
  description:
    'A payment without our page: you show a QR code on your own screen, and the buyer ' +
    'scans it with a bank app.',
};

/** Never extended, never rotated. */
const directQrLifeMs: DurationMs = minutes(3);
/** How long to wait for the provider's code; our call to the provider ends after ten seconds. */
const codeMsMax: DurationMs = seconds(15);
const provider = 'qr_a';

const createBody = Type.Object({
  amount,
  currency: Type.Optional(currency),
  customer: Type.Object(
    {
      name: about('Full name.', text(nameCharactersMax, 1)),
      email: about(emailText, email),
      phone: Type.Optional(about('Phone number.', text(buyerPhoneCharactersMax))),
      address: Type.Optional(postalAddress),
    },
    { description: 'Who pays.' },
  ),
  metadata: Type.Optional(metadata),
});
type CreateBody = Static<typeof createBody>;

type Parts = Pick<ApiParts, 'client' | 'baseUrl' | 'scheduler' | 'credentials'>;

export const qrRoutes = (parts: Parts) => [
  route({
    method: 'POST',
    at: { api: '/v1/qr/qr_a' },
    resource: directQr,
    operation: 'createDirectQr',
    summary: 'Create a Direct-QR session',
    description:
      'It is valid for three minutes, and a normal checkout session otherwise: read it, or ' +
      'end it early, under /v1/checkout. It exists once its code does: after 502 nothing ' +
      'was created.',
    answer: directQrSession,
    exampleBody: {
      amount: 125_050,
      customer: { name: 'Asha Rai', email: 'asha@example.com' },
      metadata: { order_id: '1001' },
    },
    errors: ['provider_not_configured', 'provider_unavailable'],
    key: 'secret',
    creates: true,
    needs: 'qr_a.directQr',
    reply: 201,
    mints: { session: () => mintId('cs') },
    body: createBody,
    async handle({ caller, body, ids, identity }) {
      if (!usableProviders(parts.credentials, caller).includes(provider))
        return refused('provider_not_configured');
      const id = ids.session;
      const open = { order: orderOf(body), paymentId: paymentIdOf(id), lifeMs: directQrLifeMs };
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      const result = await parts.client.ask(checkoutSessionAt(id), 'openDirectQr', open, asking);
      // on a repeat with the same key, nothing is left of a session that could not be opened
      if (result.is === 'refused' && result.code === 'not_found') return refused('provider_unavailable');
      return result.is === 'ok' ? opened(parts, id, caller.scope) : refusalOf(result);
    },
  }),
];

/** The session chooses the id of its one payment, so a repeated request refers to the same payment. */
const paymentIdOf = (id: string): string => placedBeside('pay', id, sha256Base32([id, 'payment'], 16));

/** The result for the code: the session, or nothing stored. */
async function opened(parts: Parts, id: string, scope: Scope): Promise<Answer> {
  const { client, baseUrl, scheduler } = parts;
  const found = await watchUntil(
    { client, scheduler },
    id,
    async () => {
      const session = await client.read<SessionState | HiddenSession>(checkoutSessionAt(id), scope);
      if (session === null) return 'gone';
      const { state } = session;
      if (state.status !== 'hidden') return state;
      return state.startRefused === true ? 'refused' : null;
    },
    codeMsMax,
  );
  // the result is unknown yet: with a key the request may be repeated
  if (found === null) return unavailable;
  if (found === 'gone') return refused('provider_unavailable');
  if (found === 'refused') return refused('provider_unavailable', { message: refusedCredentials });
  return done(bodyOf(found, id, baseUrl));
}

const refusedCredentials =
  'The provider refused our credentials. Nothing was created; enter them again, or ask the provider.';

/** The Direct-QR session object, keys in the documented order. */
function bodyOf(session: SessionState, id: string, baseUrl: string) {
  const { order, status, qrMessage, expiresAt } = session;
  return {
    id,
    amount: order.amount,
    currency: order.currency,
    provider,
    status,
    qr_message: qrMessage,
    qr_image: qrImage(qrMessage ?? ''),
    events_url: `${baseUrl}/v1/qr/${id}/events`,
    expires_at: iso(expiresAt),
  };
}

const orderOf = (body: CreateBody): Order => ({
  amount: body.amount,
  currency: 'NPR',
  description: null,
  returnUrl: null,
  cancelUrl: null,
  collectAddress: false,
  customer: customerOf(body.customer),
  // checked JSON, stored as received
  metadata: (body.metadata ?? {}) as Order['metadata'],
  flow: 'redirect',
  preselected: provider,
  referenceId: null,
  source: 'direct_qr',
  checkoutUrl: null,
});
