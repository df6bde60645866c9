/** The address that a shop asked us to collect (`collectAddress`): six fields of one form, sent along by
 *  each provider's button. The browser checks required fields; the door checks them again. */
import { html, type Html } from '../html.ts';
import type { AddressField, HostedTexts } from '../texts/texts.ts';

export interface FieldOnPage {
  readonly name: AddressField;
  readonly required: boolean;
  readonly charactersMax: number;
  /** The browser's own autocomplete token. */
  readonly autocomplete: string;
  readonly width: 'full' | 'half';
}

const field = (
  name: AddressField,
  autocomplete: string,
  width: 'full' | 'half',
  required = false,
): FieldOnPage => ({
  name,
  required,
  charactersMax: 120,
  autocomplete,
  width,
});

export const addressFields: readonly FieldOnPage[] = [
  field('line1', 'address-line1', 'full', true),
  field('line2', 'address-line2', 'full'),
  field('city', 'address-level2', 'half', true),
  field('postalCode', 'postal-code', 'half'),
  field('state', 'address-level1', 'half'),
  field('country', 'country-name', 'half'),
];

type Texts = HostedTexts['address'];

/** Initial values of the fields, or the submitted ones after an error. */
export type AddressValues = { readonly [name in AddressField]?: string | null };

export const addressFieldset = (values: AddressValues, texts: Texts): Html => html`<fieldset>
<legend>${texts.legend}</legend>
${addressFields.map((each) => fieldOf(each, values[each.name] ?? '', texts))}
</fieldset>`;

const fieldOf = (of: FieldOnPage, value: string, texts: Texts): Html => html`<label class="field ${of.width}">
<span>${texts.fields[of.name]}${of.required ? null : html` <span class="soft">${texts.optional}</span>`}</span>
${inputOf(of, value)}
</label>`;

const inputOf = ({ name, charactersMax, autocomplete, required }: FieldOnPage, value: string): Html =>
  required
    ? html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}"
required>`
    : html`<input name="${name}" value="${value}" maxlength="${charactersMax}" autocomplete="${autocomplete}">`;
