/** The address a buyer sent along with his choice, when the shop asked for one (`collectAddress`). */
import type { PostalAddress } from '../../actors/checkout-session/order.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { addressFields, type AddressField, type AddressValues } from '../pages/hosted/address.ts';

export type AddressSent =
  /** Not asked for, or known already. */
  | { readonly is: 'unasked' }
  | { readonly is: 'given'; readonly address: PostalAddress }
  /** Gaps where something is required, or more text than fits. */
  | { readonly is: 'incomplete'; readonly values: AddressValues };

/** Whether the page asks for an address: once, before the first try. */
export const isAddressAsked = ({ order, status, customerAddress }: SessionState): boolean =>
  order.collectAddress && order.flow === 'hosted' && status === 'pending' && customerAddress === null;

/** Reads what the form of that page brought. */
export function addressIn(session: SessionState, fields: URLSearchParams): AddressSent {
  if (!isAddressAsked(session)) return { is: 'unasked' };
  const text = (name: AddressField): string => (fields.get(name) ?? '').trim();
  const values: AddressValues = Object.fromEntries(
    addressFields.map(({ name, charactersMax }) => [name, text(name).slice(0, charactersMax)]),
  );
  const fits = addressFields.every(
    ({ name, required, charactersMax }) =>
      text(name).length <= charactersMax && (!required || text(name) !== ''),
  );
  if (!fits) return { is: 'incomplete', values };
  const orNull = (name: AddressField): string | null => text(name) || null;
  return {
    is: 'given',
    address: {
      line1: text('line1'),
      line2: orNull('line2'),
      city: text('city'),
      state: orNull('state'),
      postalCode: orNull('postalCode'),
      country: orNull('country'),
    },
  };
}
