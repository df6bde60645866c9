/** The dashboard's data about providers. The build replaces this file by the values
 *  (config/vite.config.ts), so that browsers do not download the rest of the catalog. */
import {
  catalog,
  hasTrait,
  offeredProviders,
  providerNames,
  traitsOf,
} from '../../../../src/providers/catalog.ts';

export const providerLabels: Readonly<Record<string, string>> = Object.fromEntries(
  providerNames.map((provider) => [provider, catalog[provider].label]),
);

/** No other provider has payments here yet. */
export const offeredIds: readonly string[] = offeredProviders;

/** A refund is a call to them, which may need the buyer's mobile number. */
export const refundCallIds: readonly string[] = offeredProviders.filter((provider) =>
  hasTrait(provider, 'refund_call'),
);

/** One text that the provider issues to the merchant. */
export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly optional?: true;
  /** It has several lines. */
  readonly pem?: true;
}

/** What a merchant sets about a provider. */
export interface ProviderForm {
  readonly id: string;
  readonly credentials: readonly CredentialField[];
  /** Checkouts offer it; otherwise it is for invoices only. */
  readonly inCheckout: boolean;
  readonly hasAppIntent: boolean;
}

export const providerForms: readonly ProviderForm[] = providerNames.map((id) => ({
  id,
  credentials: traitsOf(id).credentials,
  inCheckout: catalog[id].inCheckout,
  hasAppIntent: hasTrait(id, 'app_intent'),
}));
