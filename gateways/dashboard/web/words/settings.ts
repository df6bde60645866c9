/** The words of the settings' screens. Pure. */
import type { ApiKey, KeyAccess, KeyKind, Mode, ProviderSettings } from '../wire/types.ts';
import type { StateWords } from './words.ts';

export type KeyState = 'active' | 'expired' | 'revoked';

export const keyStates: Readonly<Record<KeyState, StateWords>> = {
  active: { word: 'Active', tone: 'good', sign: 'check' },
  expired: { word: 'Expired', tone: 'plain', sign: 'clock' },
  revoked: { word: 'Revoked', tone: 'bad', sign: 'cross' },
};

/** `now` is real time, on which keys expire in both modes. One that is both is revoked. */
export function keyState(key: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= now ? 'expired' : 'active';
}

/** What whoever has the key can do. */
export function powerOf(kind: KeyKind, access: KeyAccess, mode: Mode): string {
  const [money, payments] = mode === 'live' ? ['real money', 'payments'] : ['test payments', 'test payments'];
  if (kind === 'publishable')
    return 'It can read the status of one checkout whose id is known, and nothing else. It may be in a web page.';
  if (access === 'read')
    return `It can read all your ${payments}, and change nothing. Keep it on your server.`;
  return (
    `It can take and refund ${money} and read every buyer’s data. ` +
    'Keep it on your server: never in a web page, an app or a repository.'
  );
}

/** The end of a day in Nepal, as the picker gives it: `2026-12-31`. */
export const endOfDay = (day: string): string => `${day}T23:59:59.999+05:45`;

const healthStates: Readonly<Record<ProviderSettings['health'], StateWords>> = {
  up: { word: 'Up', tone: 'good', sign: 'check' },
  degraded: { word: 'Often fails', tone: 'warn', sign: 'note' },
  down: { word: 'Down', tone: 'bad', sign: 'cross' },
};

/** Without an attempt in the last 15 minutes nothing is known: "up" would look as if the credentials were accepted. */
const untried: StateWords = { word: 'Not tried lately', tone: 'plain', sign: 'clock' };

export const healthState = ({
  health,
  attempts15m,
}: Pick<ProviderSettings, 'health' | 'attempts15m'>): StateWords =>
  health === 'up' && attempts15m === 0 ? untried : healthStates[health];

/** What is missing before buyers can pay with it; empty when nothing is. */
export function missingFor(
  { configured, enabled, liveHost }: Pick<ProviderSettings, 'configured' | 'enabled' | 'liveHost'>,
  mode: Mode,
): readonly string[] {
  return [
    ...(configured ? [] : ['Enter the credentials that the provider issued to you.']),
    ...(enabled ? [] : ['Switch it on.']),
    ...(mode === 'sandbox' || liveHost
      ? []
      : ['The operator of this service must set its live address; until then starting a payment fails.']),
  ];
}

/** What the app-intent switch needs. */
export const intentEntitlement = 'wallet_a.intent';

interface EntitlementWords {
  readonly title: string;
  readonly text: string;
}

const entitlements: Readonly<Record<string, EntitlementWords>> = {
  'qr_a.directQr': {
    title: 'Direct-QR',
    text: 'Your own till shows the QR code of a payment and learns at once when it is paid.',
  },
  [intentEntitlement]: {
    title: 'App intent of Wallet A',
    text: 'Buyers approve the payment in the wallet’s app: a phone opens it, a computer shows a code.',
  },
};

export const entitlementWords = (name: string): EntitlementWords =>
  (Object.hasOwn(entitlements, name) ? entitlements[name] : undefined) ?? { title: name, text: '' };

/** `in both modes`, `in the sandbox only`, `not included`. */
export function includedText({
  sandbox,
  live,
}: {
  readonly sandbox: boolean;
  readonly live: boolean;
}): string {
  if (sandbox && live) return 'Included';
  if (!sandbox && !live) return 'Not included';
  return sandbox ? 'In the sandbox only' : 'In live only';
}

/** The order of the page after one entry has moved; positions from 1. Only those whose place changes. */
export function movedOrder(
  ids: readonly string[],
  from: number,
  to: number,
  orderOf: (id: string) => number,
): readonly (readonly [id: string, order: number])[] {
  const moved = [...ids];
  const [taken] = moved.splice(from, 1);
  if (taken === undefined || to < 0 || to > moved.length) return [];
  moved.splice(to, 0, taken);
  return moved
    .map((id, at): readonly [string, number] => [id, at + 1])
    .filter(([id, order]) => orderOf(id) !== order);
}
