/** Everything that happened in the last 90 days, found by id, type or object. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { queryOf } from '../../lists/filters.ts';
import type { RowProps } from '../../parts/list-section.tsx';
import { Ago } from '../../parts/when.tsx';
import { eventRoute, eventsEntry, eventsRoute } from '../../places.ts';
import type { Link } from '../../route.ts';
import type { ShopEvent } from '../../wire/types.ts';

type EventFilters = (typeof eventsRoute)['none'];

export const events = listScreen({
  route: eventsRoute,
  title: 'Events',
  navigation: eventsEntry,
  follows: 'nothing',
  from: 'GET /v1/events',
  query: ({ object, ...rest }) => queryOf({ ...rest, objectId: object }),
  what: ['event', 'events'],
  lead: 'What happened in the last 90 days, in order, whether or not it was sent to a server.',
  controls: {
    // the other types are typed into the field
    chips: {
      name: 'Type',
      of: 'type',
      choices: [
        ['', 'All'],
        ['payment.succeeded', 'Paid'],
        ['payment.failed', 'Failed'],
        ['checkout.created', 'Created'],
        ['checkout.expired', 'Expired'],
      ],
    },
    find: {
      words: {
        label: 'Find by event id, type, or the id of what it is about',
        placeholder: 'evt_..., payment.succeeded, pay_...',
      },
      shows: ({ object }) => object,
      means: eventsNamedBy,
    },
  },
  rows: { columns: 'logged', row: EventRow },
  empty: {
    sign: 'send',
    title: 'Nothing happened yet',
    text: 'Every change of a payment, a refund or a session is an event.',
  },
  noMatch: { title: 'No event is like that' },
});

/** The page of one event, a type, or an object. */
function eventsNamedBy(found: string): Link | Partial<EventFilters> {
  if (found.startsWith('evt_')) return eventRoute.at({ id: found });
  return /^[a-z_]+\.[a-z_]+$/.test(found) ? { type: found, object: '' } : { object: found, type: '' };
}

function EventRow({ row: { id, type, timestamp, data } }: RowProps<ShopEvent>) {
  const { to, now } = useScreenContext();
  return (
    <li class="row">
      <span class="words">
        <a class="whole" href={to(eventRoute.at({ id }))}>
          {type}
        </a>
        <span class="soft">{typeof data['id'] === 'string' ? data['id'] : id}</span>
      </span>
      <span class="soft end">
        <Ago at={timestamp} now={now} />
      </span>
    </li>
  );
}
