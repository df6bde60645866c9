/** The address a shop asked us to collect (`collectAddress`): six fields of one form, in which each provider's button
 *  sends them along. The browser checks what is required; the door checks again. */
import { html, type Html } from '../html.ts';

export type AddressField = 'line1' | 'line2' | 'city' | 'state' | 'postalCode' | 'country';

export interface FieldOnPage {
  readonly name: AddressField;
  readonly label: string;
  readonly required: boolean;
  readonly charactersMax: number;
  readonly autocomplete: string;
  readonly half: boolean;
}

export const addressFields: readonly FieldOnPage[] = [
  { name: 'line1', label: 'Street and house', required: true, charactersMax: 200, autocomplete: 'address-line1', half: false },
  { name: 'line2', label: 'Area or landmark', required: false, charactersMax: 200, autocomplete: 'address-line2', half: false },
  { name: 'city', label: 'City', required: true, charactersMax: 100, autocomplete: 'address-level2', half: true },
  { name: 'postalCode', label: 'Postal code', required: false, charactersMax: 100, autocomplete: 'postal-code', half: true },
  { name: 'state', label: 'Province', required: false, charactersMax: 100, autocomplete: 'address-level1', half: true },
  { name: 'country', label: 'Country', required: false, charactersMax: 100, autocomplete: 'country-name', half: true },
];

/** What the fields show at first, or again after a mistake. */
export type AddressValues = { readonly [name in AddressField]?: string | null };

export const addressFieldset = (values: AddressValues): Html => html`<fieldset><legend>Where should it be sent?</legend>
${addressFields.map((field) => fieldOf(field, values[field.name] ?? ''))}</fieldset>`;

const fieldOf = (of: FieldOnPage, value: string): Html => html`<label class="field${of.half ? ' half' : ''}"><span>${of.label}${
  of.required ? null : html` <span class="soft">(optional)</span>`}</span>${inputOf(of, value)}</label>`;

const inputOf = ({ name, charactersMax, autocomplete, required }: FieldOnPage, value: string): Html => required
  ? html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}" required>`
  : html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}">`;
