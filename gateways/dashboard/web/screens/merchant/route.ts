/** One merchant, for the operator: `merchants/mer_...`. */
import { ofOperator, route } from '../../route.ts';

export const merchantRoute = ofOperator(route('merchants/{id}'));
