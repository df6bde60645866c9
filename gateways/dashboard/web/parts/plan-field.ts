/** The choice of a merchant's plan. */
import type { TextOf } from '../wire/form-reading.ts';
import type { Plan } from '../wire/operator-api.ts';

export const planRadios: readonly (readonly [Plan, string, string])[] = [
  ['free', 'Free', 'Everything but Direct-QR.'],
  ['premium', 'Premium', 'Direct-QR, too: codes for the counter, by the API.'],
];

export const planFrom = (text: TextOf): Plan => (text('plan') === 'premium' ? 'premium' : 'free');
