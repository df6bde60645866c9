/** The choice of a merchant's plan. */
import type { TextOf } from '../wire/form-reading.ts';
import type { MerchantPlan } from '../wire/types.ts';

export const planRadios: readonly (readonly [MerchantPlan, string, string])[] = [
  ['free', 'Free', 'Everything but Direct-QR.'],
  ['premium', 'Premium', 'Direct-QR, too: codes for the counter, by the API.'],
];

export const planFrom = (text: TextOf): MerchantPlan => (text('plan') === 'premium' ? 'premium' : 'free');
