/** The address that a shop asked us to collect (`collectAddress`): six fields of one form, sent along by
 *  each provider's button. The browser checks required fields; the door checks them again. */
import { html, type Html } from '../html.ts';

export type AddressField = 'line1' | 'line2' | 'city' | 'state' | 'postalCode' | 'country';

export interface FieldOnPage {
  readonly name: AddressField;
  readonly label: string;
  readonly required: boolean;
  readonly charactersMax: number;
  /** The browser's own autocomplete token. */
  readonly autocomplete: string;
  readonly width: 'full' | 'half';
}

const field = (
  name: AddressField,
  label: string,
  autocomplete: string,
  width: 'full' | 'half',
  required = false,
): FieldOnPage => ({
  name,
  label,
  required,
  charactersMax: 120,
  autocomplete,
  width,
});

export const addressFields: readonly FieldOnPage[] = [
  field('line1', 'Street and house', 'address-line1', 'full', true),
  field('line2', 'Area or landmark', 'address-line2', 'full'),
  field('city', 'City', 'address-level2', 'half', true),
  field('postalCode', 'Postal code', 'postal-code', 'half'),
  field('state', 'Province', 'address-level1', 'half'),
  field('country', 'Country', 'country-name', 'half'),
];

/** Initial values of the fields, or the submitted ones after an error. */
export type AddressValues = { readonly [name in AddressField]?: string | null };

export const addressFieldset = (values: AddressValues): Html => html`<fieldset>
<legend>Where should it be sent?</legend>
${addressFields.map((each) => fieldOf(each, values[each.name] ?? ''))}
</fieldset>`;

const fieldOf = (of: FieldOnPage, value: string): Html => html`<label class="field ${of.width}">
<span>${of.label}${of.required ? null : html` <span class="soft">(optional)</span>`}</span>
${inputOf(of, value)}
</label>`;

const inputOf = ({ name, charactersMax, autocomplete, required }: FieldOnPage, value: string): Html =>
  required
    ? html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}"
required>`
    : html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}">`;
