/** The dashboard's data about providers. The build replaces this file by the values
 *  (config/vite.config.ts), so that browsers do not download the rest of the catalog. */
import { catalog, hasTrait, providerNames, traitsOf } from '../../../../src/providers/catalog.ts';

export const providerLabels: Readonly<Record<string, string>> = Object.fromEntries(
  providerNames.map((provider) => [provider, catalog[provider].label]),
);

export const providerIds: readonly string[] = providerNames;

/** A refund is a call to them, which may need the buyer's mobile number. */
export const refundCallIds: readonly string[] = providerNames.filter((provider) =>
  hasTrait(provider, 'refund_call'),
);

/** Providers whose fee of 0 means that it is not known yet. */
export const feeLaterIds: readonly string[] = providerNames.filter((provider) =>
  hasTrait(provider, 'fee_later'),
);

/** One text that the provider issues to the merchant. */
export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly optional?: true;
  /** It has several lines. */
  readonly pem?: true;
  /** The provider's own limit. */
  readonly charactersMax?: number;
}

/** What a merchant sets about a provider. */
export interface ProviderForm {
  readonly id: string;
  readonly credentials: readonly CredentialField[];
  /** Checkouts offer it; otherwise it is for invoices only. */
  readonly inCheckout: boolean;
  /** An invoice can prefer it. */
  readonly inBilling: boolean;
  readonly hasAppIntent: boolean;
}

export const providerForms: readonly ProviderForm[] = providerNames.map((id) => ({
  id,
  credentials: traitsOf(id).credentials,
  inCheckout: catalog[id].inCheckout,
  inBilling: catalog[id].inBilling,
  hasAppIntent: hasTrait(id, 'app_intent'),
}));
