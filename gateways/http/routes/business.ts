/** A merchant's own business at the dashboard: its name, its shop, its logo; its plan is shown, and changed by the
 *  operator.
 *  1. The place in the address says whose business it is; the gate (dashboard/server/gate.ts) has decided who may. */
import { Type } from 'typebox';
import { nameCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { logoAt, type LogoPicture } from '../../../actors/logo/messages.ts';
import { merchantAt, type MerchantState } from '../../../actors/merchant/messages.ts';
import { fieldError } from '../../../src/errors.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { isUploaded, logoAddress, logoPath } from '../../logo/address.ts';
import { pictureFrom, isPictureType, logoBytesMax } from '../../logo/picture.ts';
import type { Door } from '../../server/door.ts';
import type { Caller } from '../access/auth.ts';
import { entitlements, isEntitled } from '../access/entitlements.ts';
import { isAdmitted, refusalReply } from '../access/gate.ts';
import type { ApiParts } from '../api-parts.ts';
import { FairQueue } from '../access/fair-queue.ts';
import { done, notFound, refusalOf, refused, unavailable, type Refused } from '../route/answer.ts';
import { jsonReply } from '../route/reply.ts';
import { invalid, type RouteParts } from '../route/route.ts';
import { nullable, siteUrl, text } from '../route/schemas.ts';
import { ownRoute } from '../route/spec.ts';

type Parts = Pick<ApiParts, 'client' | 'auth' | 'baseUrl'>;

const businessBody = Type.Object({
  name: Type.Optional(text(nameCharactersMax, 1)),
  shopUrl: Type.Optional(nullable(siteUrl)),
});

export const businessRoutes = (parts: Parts) => [
  ownRoute({
    method: 'GET',
    at: { dashboard: 'business' },
    does:
      'name, e-mail, `shopUrl`, `logoUrl`, plan, `verified`, suspension, and what the plan ' +
      'includes in each mode; the same in both modes',
    reply: 200,
    handle: ({ caller }) => readBusiness(parts, caller),
  }),
  ownRoute({
    method: 'PATCH',
    at: { dashboard: 'business' },
    does: '`name` (1 to 100 characters), `shopUrl` (https; http only for this machine; null: none)',
    reply: 200,
    body: businessBody,
    rules: ({ name }) =>
      name === undefined || name.trim() !== '' ? [] : [fieldError('name', 'too_short', '1 character')],
    handle: ({ caller, body }) => changeBusiness(parts, caller, body),
  }),
  ownRoute({
    method: 'DELETE',
    at: { dashboard: 'logo' },
    does: 'removes the logo',
    reply: 200,
    handle: ({ caller }) => removeLogo(parts, caller),
  }),
];

/** The last of them waits for some three seconds. */
const picturesWaitingMax = 16;

/** The body is the picture itself. Checking one takes up to a fifth of a second: one at a time, with projects taking
 *  turns. */
export function logoUploadDoor(path: string, parts: Parts, gate: RouteParts['gate']): Door {
  const line = new FairQueue(picturesWaitingMax);
  return {
    method: 'PUT',
    path,
    bodyBytesMax: logoBytesMax,
    lateHeaders: ['content-type'],
    async handle(request) {
      const admitted = await gate.admit(request, { key: 'secret', method: 'PUT' });
      if (!isAdmitted(admitted)) return admitted;
      const { caller, headers } = admitted;
      if (caller === null) return refusalReply(refused('login_required'), request.requestId, headers);
      const type = request.header('content-type');
      const leave = await line.enter(caller.projectId);
      const answer =
        leave === null ? unavailable : await uploaded(parts, caller, type, request.body).finally(leave);
      return answer.is === 'done'
        ? jsonReply(200, answer.text, headers)
        : refusalReply(answer, request.requestId, headers);
    },
  };
}

async function uploaded(parts: Parts, caller: Caller, type: string, bytes: Buffer) {
  if (!isPictureType(type)) return noPicture;
  const picture = await pictureFrom(type, bytes);
  if ('must' in picture) return invalid([fieldError('logo', 'invalid_format', picture.must)]);
  return putLogo(parts, caller, picture);
}

const noPicture: Refused = refused('unsupported_media_type', {
  message: 'Send image/png or image/svg+xml.',
});

/** Whose business: the merchant and its project. */
interface WhoseBusiness {
  readonly merchantId: string;
  readonly projectId: string;
}

interface BusinessChange {
  readonly name?: string;
  readonly shopUrl?: string | null;
}

const byMerchant = { by: 'merchant', scope: 'system' } as const;

async function readBusiness({ client, baseUrl }: Parts, who: WhoseBusiness) {
  const found = await client.read<MerchantState>(merchantAt(who.merchantId), 'system');
  return found === null ? notFound : done(businessView(found.state, baseUrl));
}

async function changeBusiness(
  parts: Parts,
  who: WhoseBusiness,
  change: BusinessChange & { readonly logoUrl?: string | null },
) {
  const { client, auth } = parts;
  const changed = await client.ask(merchantAt(who.merchantId), 'changeBusiness', change, byMerchant);
  if (changed.is === 'refused' && changed.code === 'account_suspended') {
    const { suspended_at, reason } = changed.detail;
    return refusalOf(changed, {
      suspension: { suspended_at: textOf(suspended_at), reason: textOf(reason) },
    });
  }
  if (changed.is !== 'ok') return refusalOf(changed);
  auth.forget(who.projectId);
  return readBusiness(parts, who);
}

const textOf = (detail: unknown): string => (typeof detail === 'string' ? detail : '');

/** The picture first: an address that leads nowhere is never shown. */
async function putLogo(parts: Parts, who: WhoseBusiness, picture: LogoPicture) {
  const put = await parts.client.ask(logoAt(who.projectId), 'put', picture, byMerchant);
  if (put.is !== 'ok') return refusalOf(put);
  const logoUrl = logoPath(who.projectId, picture.format, picture.sha256);
  return changeBusiness(parts, who, { logoUrl });
}

/** The address first, for the same reason. */
async function removeLogo(parts: Parts, who: WhoseBusiness) {
  const changed = await changeBusiness(parts, who, { logoUrl: null });
  if (changed.is !== 'done') return changed;
  const dropped = await dropLogo(parts.client, who.projectId, 'merchant');
  return dropped ?? changed;
}

/** Drops the uploaded picture, if there is one; null when it is gone. */
export async function dropLogo(
  client: Pick<Client, 'ask'>,
  projectId: string,
  by: 'operator' | 'merchant',
): Promise<Refused | null> {
  const dropped = await client.ask(logoAt(projectId), 'remove', {}, { by, scope: 'system' });
  const isGone = dropped.is === 'ok' || (dropped.is === 'refused' && dropped.code === 'not_found');
  return isGone ? null : refusalOf(dropped);
}

function businessView(merchant: MerchantState, baseUrl: string) {
  const { name, email, shopUrl = null, logoUrl, plan, verified, status } = merchant;
  const suspension = status === 'suspended' ? merchant.suspension : null;
  return {
    name,
    email,
    shopUrl,
    logoUrl: logoAddress(logoUrl, baseUrl),
    logoUploaded: isUploaded(logoUrl),
    plan,
    verified,
    suspension: suspension === null ? null : { suspended_at: iso(suspension.at), reason: suspension.reason },
    entitlements: entitlements.map((entitlement) => ({
      entitlement,
      sandbox: isEntitled(entitlement, { plan, mode: 'sandbox' }),
      live: isEntitled(entitlement, { plan, mode: 'live' }),
    })),
  };
}
