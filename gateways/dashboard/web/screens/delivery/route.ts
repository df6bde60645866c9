/** One event on its way to one endpoint: `webhooks/we_.../events/evt_...`. */
import { route } from '../../route.ts';

export const deliveryRoute = route('webhooks/{endpointId}/events/{eventId}');
