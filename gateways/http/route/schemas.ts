/** Schema parts shared by several resources. */
import { Type, type Static, type TSchema } from 'typebox';
import { emailCharactersMax, urlCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { billingProviders, type Provider } from '../../../src/providers/catalog.ts';
import { amountPaisaMax, amountPaisaMin } from '../../../src/kernel/money.ts';

/** The same schema with a description, for the document. */
export const about = <Schema extends TSchema>(description: string, schema: Schema): Schema => ({
  ...schema,
  description,
});

/** A string with bounds in characters. */
export const text = (maxLength: number, minLength = 0) => Type.String({ minLength, maxLength });

/** In paisa, with the bounds of docs/reference/api.md. */
export const amount = Type.Integer({ minimum: amountPaisaMin, maximum: amountPaisaMax, means: 'amount' });

export const currency = Type.Enum(['NPR'], { means: 'currency' });
export const metadata = Type.Record(Type.String(), Type.Unknown(), { means: 'metadata' });

export const shopUrl = Type.String({ maxLength: urlCharactersMax, means: 'shopUrl' });
/** Of a merchant's own site. */
export const siteUrl = Type.String({ maxLength: urlCharactersMax, means: 'siteUrl' });
export const webhookUrl = Type.String({ maxLength: urlCharactersMax, means: 'webhookUrl' });
export const email = Type.String({ format: 'email', maxLength: emailCharactersMax });
export const emailText =
  'An e-mail address in ASCII: write a domain in another script as punycode (`xn--...`).';
export const instant = Type.String({ format: 'instant' });

const addressLine = text(120);
export const postalAddress = Type.Object(
  {
    line1: about('Street, or ward.', text(120, 1)),
    line2: Type.Optional(about('More of it.', addressLine)),
    city: about('City.', text(120, 1)),
    state: Type.Optional(about('State or province.', addressLine)),
    postalCode: Type.Optional(about('Postal code.', addressLine)),
    country: Type.Optional(about('Country.', addressLine)),
  },
  { description: 'A postal address.' },
);

/** The same, or null where null is allowed. */
export const nullable = <Schema extends TSchema & { readonly type: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });

/** A provider that invoice pages show first, or null. */
export const billingProvider = (description: string) =>
  Type.Unsafe<Provider | null>({ enum: [...billingProviders, null], description });
