/** The list of events: `events?type=payment.succeeded`. */
import { allEvents, eventFilterText } from '../../lists/logged.ts';
import { listRoute, type Entry } from '../../route.ts';

export const eventsRoute = listRoute('events', eventFilterText);

export const eventsEntry: Entry = {
  word: 'Events',
  group: 'developers',
  link: eventsRoute.at({ filters: allEvents }),
};
