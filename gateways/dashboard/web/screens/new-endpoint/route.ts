/** The form of a new endpoint: `webhooks/new`. */
import { route } from '../../route.ts';

export const newEndpointRoute = route('webhooks/new');
