/** How a project uses a provider in one mode. */
import { shown } from '../route/description.ts';
import { flag, object, oneOf } from './parts.ts';
import { provider } from './provider.ts';

export const providerSettings = shown(
  object('ProviderSettings', 'How a project uses a provider in one mode. Credentials are never shown.', {
    provider,
    mode: oneOf(['sandbox', 'live'], 'Which half of the project.'),
    enabled: flag('Whether buyers may start payments with it.'),
    refundsNeedMobile: flag("Whether a refund needs the buyer's mobile number."),
  }),
  { provider: 'wallet_b', mode: 'sandbox', enabled: true, refundsNeedMobile: true },
);
