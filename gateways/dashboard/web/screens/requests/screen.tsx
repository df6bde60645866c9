/** Every request of an API key in the last 30 days, found by id, key, path and status. */
import { useScreenContext } from '../../context.ts';
import { queryOf } from '../../lists/filters.ts';
import type { Choices } from '../../parts/chips.tsx';
import { Id } from '../../parts/copy.tsx';
import { Controls, type FilterControls } from '../../parts/list-section.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { Failed, Loading, EmptyList } from '../../parts/notices.tsx';
import { NoMatch } from '../../parts/paged-list.tsx';
import { Ago } from '../../parts/when.tsx';
import { requestsEntry, requestsRoute } from '../../places.ts';
import { addressOf } from '../../route.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { LoggedRequest, RequestPage } from '../../wire/types.ts';
import { durationText } from '../../words/time.ts';

export const requests = screen({
  route: requestsRoute,
  title: 'Requests',
  navigation: requestsEntry,
  follows: 'nothing',
  clock: 'real',
  load: ({ api, place }, { filters }) => {
    const query = queryOf(filters);
    // the log goes on from a place, not by pages
    query.delete('page');
    return { key: `requests ${query}`, ask: () => api.call('GET requests', place, { query }) };
  },
  view: Requests,
});

type RequestFilters = (typeof requestsRoute)['none'];

interface RequestsParams {
  readonly filters: RequestFilters;
}

const statuses: Choices = ['', '400', '401', '403', '404', '409', '415', '422', '429', '500', '503'].map(
  (status) => [status, status === '' ? 'All' : status] as const,
);

const controls: FilterControls<RequestFilters> = {
  chips: { name: 'Status', of: 'status', choices: statuses },
  find: {
    words: {
      label: 'Find by request id, key id, status, or part of the path',
      placeholder: 'req_..., key_..., 422, /v1/payments',
    },
    shows: ({ id, key, path }) => id + key + path,
    means: requestsNamedBy,
  },
};

/** A request id, the id of a key, a status, or a part of the path. */
function requestsNamedBy(found: string): Partial<RequestFilters> {
  const none = { id: '', key: '', path: '', after: '' };
  if (found.startsWith('req_')) return { ...none, id: found };
  if (found.startsWith('key_')) return { ...none, key: found };
  return /^[1-5]\d\d$/.test(found) ? { ...none, status: found } : { ...none, path: found };
}

function Requests({ params: { filters }, asked }: Viewed<RequestsParams, RequestPage>) {
  const { value, failure, again } = asked;
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Requests</h1>
      <p class="lead soft">
        Every request of your API keys in the last 30 days. The id is in each answer, as{' '}
        <code>X-Request-Id</code>.
      </p>
      <section class="slip lone list" aria-label="List of requests">
        <Controls controls={controls} route={requestsRoute} params={{ filters }} />
        {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
        {value === null && failure === null && <Loading lines={5} what="requests" />}
        {value !== null && <Page filters={filters} page={value} />}
      </section>
    </main>
  );
}

function Page({ filters, page: { data, next } }: RequestsParams & { readonly page: RequestPage }) {
  const { to } = useScreenContext();
  return (
    <>
      {data.length > 0 && (
        <ul class="rows logged">
          {data.map((request) => (
            <Row key={request.id} request={request} />
          ))}
        </ul>
      )}
      {data.length === 0 && next === null && <Nothing filters={filters} />}
      {data.length === 0 && next !== null && (
        <p class="soft part">Nothing so far. Older requests have not been looked through yet.</p>
      )}
      {(next !== null || filters.after !== '') && (
        <nav class="pager" aria-label="Pages of requests">
          <p class="soft" />
          <div class="steps">
            {filters.after !== '' && (
              <a class="step" href={to(requestsRoute.at({ filters: { ...filters, after: '' } }))}>
                Newest
              </a>
            )}
            {next !== null && (
              <a
                class="step"
                href={to(requestsRoute.at({ filters: { ...filters, after: next } }))}
                rel="next"
              >
                Older
                <Glyph name="arrow" />
              </a>
            )}
          </div>
        </nav>
      )}
    </>
  );
}

function Row({ request }: { readonly request: LoggedRequest }) {
  const { now, to } = useScreenContext();
  const { id, at, method, path, status, code, keyId, durationMs } = request;
  const ofKey = to(requestsRoute.at({ filters: { key: keyId } }));
  return (
    <li class="row">
      <span class="words">
        <b>
          {method} {path}
        </b>
        <span class="soft">
          <b class={status < 400 ? 'good' : 'bad'}>{status}</b> {code !== null && <code>{code}</code>} after{' '}
          {durationText(durationMs)}, key <a href={ofKey}>{keyId.slice(0, 10)}</a>
        </span>
        <Id id={id} what="request id" />
      </span>
      <span class="soft end">
        <Ago at={at} now={now} />
      </span>
    </li>
  );
}

function Nothing({ filters }: RequestsParams) {
  const { to, place } = useScreenContext();
  const { id, key, path, status } = filters;
  const mode = place.mode === 'sandbox' ? 'live' : 'sandbox';
  const there = addressOf({ ...place, mode }, requestsRoute.at({ filters: { ...filters, after: '' } }));
  if (id + key + path + status === '') {
    return (
      <EmptyList
        words={{
          sign: 'call',
          title: 'No request yet',
          text: 'Requests with your keys appear here about a second after their answer.',
        }}
      />
    );
  }
  return (
    <NoMatch
      title="No request is like that"
      answerTo={filters}
      many="requests"
      all={to(requestsRoute.at({}))}
    >
      <p class="soft">
        These are the requests of {place.mode} keys. <a href={there}>Look among those of {mode} keys</a>
      </p>
    </NoMatch>
  );
}
