/** The address that a buyer submits with the choice of provider, when the shop requires one
 *  (`collectAddress`). */
import type { PostalAddress } from '../../actors/checkout-session/order.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { addressFields, type AddressValues } from '../pages/hosted/address.ts';
import type { AddressField } from '../pages/texts/texts.ts';

export type AddressSent =
  /** Not required, or already known. */
  | { readonly is: 'unasked' }
  | { readonly is: 'given'; readonly address: PostalAddress }
  /** Required fields are missing, or a text is too long. */
  | { readonly is: 'incomplete'; readonly values: AddressValues };

/** Whether the page asks for an address: only before the first attempt. */
export const isAddressAsked = ({ order, status, customerAddress }: SessionState): boolean =>
  order.collectAddress && order.flow === 'hosted' && status === 'pending' && customerAddress === null;

/** Reads the submitted form of that page. */
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
