/** The log of requests: `requests?status=422`. */
import { allRequests, requestFilterText } from '../../lists/logged.ts';
import { listRoute, type Entry } from '../../route.ts';

export const requestsRoute = listRoute('requests', requestFilterText);

export const requestsEntry: Entry = {
  word: 'Requests',
  group: 'developers',
  link: requestsRoute.at({ filters: allRequests }),
};
