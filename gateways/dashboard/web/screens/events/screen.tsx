/** Everything that happened in the last 90 days, found by id, type or object. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { allEvents, eventQuery, eventsNamedBy, type EventFilters } from '../../lists/logged.ts';
import { Chips } from '../../parts/chips.tsx';
import { Finder } from '../../parts/finder.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { Ago } from '../../parts/when.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Listed, ShopEvent } from '../../wire/types.ts';
import { eventRoute } from '../event/route.ts';
import { eventsEntry, eventsRoute } from './route.ts';

export const events = screen({
  route: eventsRoute,
  title: 'Events',
  navigation: eventsEntry,
  follows: 'nothing',
  load: ({ api, place }, { filters }) => {
    const query = eventQuery(filters);
    return { key: `events ${query}`, ask: () => api.events(place, query) };
  },
  view: Events,
});

interface EventsProps {
  readonly filters: EventFilters;
}

/** The other types are typed into the field. */
const types: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['payment.succeeded', 'Paid'],
  ['payment.failed', 'Failed'],
  ['checkout.created', 'Created'],
  ['checkout.expired', 'Expired'],
];

function Events({ params: { filters }, asked }: Viewed<EventsProps, Listed<ShopEvent>>) {
  const { to } = useScreenContext();
  const addressWith = (changed: Partial<EventFilters>): string =>
    to(eventsRoute.at({ filters: { ...filters, page: 1, ...changed } }));
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Events</h1>
      <p class="lead soft">
        What happened in the last 90 days, in order, whether or not it was sent to a server.
      </p>
      <section class="slip lone list" aria-label="List of events">
        <div class="filters">
          <Chips
            name="Type"
            value={filters.type}
            choices={types}
            addressOf={(type) => addressWith({ type })}
          />
          <div class="choices">
            <Finder
              value={filters.object}
              label="Find by event id, type, or the id of what it is about"
              placeholder="evt_..., payment.succeeded, pay_..."
              addressOf={(found) => {
                const named = eventsNamedBy(found);
                return 'event' in named ? to(eventRoute.at({ id: named.event })) : addressWith(named);
              }}
            />
          </div>
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: EventsProps & { readonly asked: Asked<Listed<ShopEvent>> }) {
  const { to, now } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['event', 'events']}
      page={filters.page}
      addressOf={(page) => to(eventsRoute.at({ filters: { ...filters, page } }))}
      shown={({ data }) => ({ rows: data })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="logged">
          {rows.map(({ id, type, timestamp, data }) => (
            <li key={id} class="row">
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
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function Nothing({ filters }: EventsProps) {
  const { to } = useScreenContext();
  if (filters.type === '' && filters.object === '') {
    return (
      <Empty sign="send" title="Nothing happened yet">
        <p class="soft">Every change of a payment, a refund or a session is an event.</p>
      </Empty>
    );
  }
  return (
    <NoMatch
      title="No event is like that"
      answerTo={filters}
      many="events"
      all={to(eventsRoute.at({ filters: allEvents }))}
    />
  );
}
