/** A merchant's own business settings: its name, its shop, its logo; its plan is shown, and changed by the operator.
 *  Boundary: reads and changes merchants and logos; its callers decide first who may. */
import { logoAt, type LogoPicture } from '../../actors/logo/messages.ts';
import { merchantAt, type MerchantState } from '../../actors/merchant/messages.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { isUploaded, logoAddress, logoPath } from '../logo/address.ts';
import type { Auth } from './access/auth.ts';
import { entitlements, isEntitled } from './access/entitlements.ts';
import { done, notFound, refusalOf, type Answer } from './route/answer.ts';

export interface BusinessParts {
  readonly client: Client;
  readonly auth: Pick<Auth, 'forget'>;
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
}

/** Whose business: the merchant and its project. */
export interface WhoseBusiness {
  readonly merchantId: string;
  readonly projectId: string;
}

export interface BusinessChange {
  readonly name?: string;
  readonly shopUrl?: string | null;
}

const byMerchant = { by: 'merchant', scope: 'system' } as const;

export async function readBusiness({ client, baseUrl }: BusinessParts, who: WhoseBusiness): Promise<Answer> {
  const found = await client.read<MerchantState>(merchantAt(who.merchantId), 'system');
  return found === null ? notFound : done(businessView(found.state, baseUrl));
}

export async function changeBusiness(
  parts: BusinessParts,
  who: WhoseBusiness,
  change: BusinessChange & { readonly logoUrl?: string | null },
): Promise<Answer> {
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
export async function putLogo(
  parts: BusinessParts,
  who: WhoseBusiness,
  picture: LogoPicture,
): Promise<Answer> {
  const put = await parts.client.ask(logoAt(who.projectId), 'put', picture, byMerchant);
  if (put.is !== 'ok') return refusalOf(put);
  const logoUrl = logoPath(who.projectId, picture.format, picture.sha256);
  return changeBusiness(parts, who, { logoUrl });
}

/** The address first, for the same reason. */
export async function removeLogo(parts: BusinessParts, who: WhoseBusiness): Promise<Answer> {
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
): Promise<Answer | null> {
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
