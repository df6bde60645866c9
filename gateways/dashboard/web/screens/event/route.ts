/** One event: `events/evt_...`. */
import { route } from '../../route.ts';

export const eventRoute = route('events/{id}');
