/** The form that makes a merchant: `merchants/new`. */
import { ofOperator, route } from '../../route.ts';

export const newMerchantRoute = ofOperator(route('merchants/new'));
