/** How a project uses a provider in one mode. */
import { modes } from '../../../src/runtime/model/address.ts';
import { Type } from 'typebox';
import { providerNames, traitsOf, type Provider } from '../../../src/providers/catalog.ts';
import { shown } from '../route/description.ts';
import { allOf, flag, integer, object, oneOf } from './parts.ts';
import { attempts15m, healths, provider } from './provider.ts';

export const providerSettings = shown(
  object('ProviderSettings', 'How a project uses a provider in one mode. Credentials are never shown.', {
    provider,
    mode: oneOf(modes, 'Which half of the project.'),
    enabled: flag('Whether buyers may start payments with it, once it has credentials.'),
    order: integer('Its place where a buyer chooses: lower ones come first.'),
    configured: flag('It has credentials in this mode.'),
    credentialNames: Type.Array(Type.String(), {
      description: 'The names of the stored credentials, without their values.',
    }),
    appIntent: flag('Whether buyers may pay in its app: a phone opens it, a computer shows a QR code.'),
    refundsNeedMobile: flag("Whether a refund needs the buyer's mobile number."),
    liveHost: flag('Whether this service knows its live address: without it no live payment can be started.'),
    attempts15m,
    health: healths,
  }),
  {
    provider: 'wallet_b',
    mode: 'live',
    enabled: true,
    order: 2,
    configured: true,
    credentialNames: ['secretKey'],
    appIntent: false,
    refundsNeedMobile: false,
    liveHost: false,
    attempts15m: 0,
    health: 'up',
  },
);

/** Of a new project in the sandbox. */
export const projectProviderSettings = allOf(
  providerSettings,
  providerNames.map((name: Provider, at) => ({
    ...providerSettings.example,
    provider: name,
    mode: 'sandbox' as const,
    order: at + 1,
    credentialNames: traitsOf(name).credentials.map((each) => each.name),
  })),
);
