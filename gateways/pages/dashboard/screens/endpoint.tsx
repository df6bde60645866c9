/** One endpoint and its delivery log. */
import { useAsked, useEvery } from '../asked.ts';
import { useBench } from '../context.ts';
import { useTitle } from '../heading.ts';
import { aboutOf, deliveryRows, unlistedCount } from '../lists/delivery-rows.ts';
import { BackLink } from '../parts/back-link.tsx';
import { Id } from '../parts/copy.tsx';
import { endpointState, hearsText } from '../parts/endpoint-line.tsx';
import { Amount, Glyph, Said, Tag } from '../parts/marks.tsx';
import { Empty, Failed, Loading } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Ago } from '../parts/when.tsx';
import type { DeliveryFilters, Screen } from '../route.ts';
import type { Delivery, Endpoint, Listed } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { deliveryStates, disabledWord, wordsOf } from '../words/words.ts';

const rowsPerPage = 25;
const pollMs = 10_000;

export interface EndpointProps {
  readonly id: string;
  readonly filters: DeliveryFilters;
}

export function EndpointScreen({ id, filters }: EndpointProps) {
  const { api, place, to } = useBench();
  useTitle('Webhook endpoint');
  const asked = useAsked('endpoints', () => api.endpoints(place));
  const endpoint = asked.value?.data.find((each) => each.id === id) ?? null;
  return (
    <main class="page" id="main">
      <BackLink to={to({ name: 'webhooks' })}>Webhooks</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>Endpoint</h1>
        <Id id={id} what="endpoint id" />
      </div>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {endpoint !== null && <EndpointHead endpoint={endpoint} />}
      <section class="slip lone list" aria-label="Deliveries">
        <States id={id} filters={filters} />
        <Deliveries id={id} filters={filters} />
      </section>
    </main>
  );
}

function EndpointHead({ endpoint }: { readonly endpoint: Endpoint }) {
  return (
    <section class="slip lone act endpoint-head" aria-label="What it is">
      <p class="url">
        <Said text={endpoint.url} />
      </p>
      <p class="soft">
        <Tag words={endpointState(endpoint)} /> Hears {hearsText(endpoint)}
        {endpoint.description !== null && <> · {endpoint.description}</>}
      </p>
      {endpoint.disabledReason !== null && (
        <div class="notice">
          <Glyph name="note" />
          <div>
            <strong>{disabledWord(endpoint.disabledReason)}</strong>
            Nothing new is sent there. Register the address anew to go on.
          </div>
        </div>
      )}
    </section>
  );
}

const states: readonly (readonly [DeliveryFilters['status'], string])[] = [
  ['', 'All'],
  ['success', 'Delivered'],
  ['retrying', 'Trying again'],
  ['pending', 'On their way'],
  ['failed', 'Not delivered'],
];

function States({ id, filters }: EndpointProps) {
  const { to } = useBench();
  return (
    <div class="filters">
      <nav class="chips" aria-label="State">
        {states.map(([status, word]) => (
          <a
            key={status}
            class="chip"
            href={to({ name: 'endpoint', id, filters: { status, page: 1 } })}
            aria-current={filters.status === status ? 'true' : undefined}
          >
            {word}
          </a>
        ))}
      </nav>
    </div>
  );
}

function Deliveries({ id, filters }: EndpointProps) {
  const { api, place, desk, to } = useBench();
  const { status, page } = filters;
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (status !== '') query.set('status', status);
  const asked = useAsked(`deliveries ${id} ${query}`, () => api.deliveries(place, id, query));
  const { value } = asked;
  useEvery(desk.connection.is === 'connected' ? null : pollMs, asked.poll);
  if (value === null) {
    if (asked.failure !== null) return <Failed failure={asked.failure} again={asked.again} whole />;
    return <Loading lines={5} what="deliveries" />;
  }
  const screenAt = (at: number): Screen => ({ name: 'endpoint', id, filters: { status, page: at } });
  return (
    <>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {status === '' && page === 1 && <More listed={value} id={id} again={asked.again} />}
      {value.data.length === 0 ? <Nothing filters={filters} id={id} /> : <DeliveryList listed={value} />}
      <Pager
        page={page}
        limit={value.limit}
        total={value.total}
        addressOf={(at) => to(screenAt(at))}
        what="deliveries"
      />
    </>
  );
}

function More({ listed, id, again }: { listed: Listed<Delivery>; id: string; again: () => void }) {
  const { desk } = useBench();
  const count = unlistedCount(listed, desk.deliveries, id, desk.epoch);
  if (count === 0) return null;
  return (
    <button type="button" class="more" onClick={again}>
      <Glyph name="down" />
      Show {counted(count, 'new delivery', 'new deliveries')}
    </button>
  );
}

function Nothing({ filters, id }: EndpointProps) {
  const { to } = useBench();
  if (filters.status === '' && filters.page === 1) {
    return (
      <Empty sign="send" title="Nothing was sent yet">
        <p class="soft">The next event this endpoint hears of appears here.</p>
      </Empty>
    );
  }
  return (
    <Empty sign="search" title="No delivery is like that">
      <a class="button second" href={to({ name: 'endpoint', id, filters: { status: '', page: 1 } })}>
        Show all deliveries
      </a>
    </Empty>
  );
}

function DeliveryList({ listed }: { readonly listed: Listed<Delivery> }) {
  const { desk, now, to } = useBench();
  return (
    <ul class="deliveries">
      {deliveryRows(listed, desk.deliveries, desk.epoch).map((delivery) => (
        <li key={delivery.id} class="row">
          <Tag words={wordsOf(deliveryStates, delivery.status)} />
          <div class="words">
            <a
              class="whole"
              href={to({
                name: 'delivery',
                endpointId: delivery.webhookEndpointId,
                eventId: delivery.eventId,
              })}
            >
              {delivery.eventType}
            </a>
            <span class="soft">{answerText(delivery)}</span>
          </div>
          <span class="about">
            <AboutLine delivery={delivery} />
          </span>
          <span class="soft end">
            <Ago at={delivery.lastAttemptAt ?? delivery.createdAt} now={now} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function AboutLine({ delivery }: { readonly delivery: Delivery }) {
  const { amount, buyer } = aboutOf(delivery);
  return (
    <>
      {buyer !== null && <Said text={buyer} />} {amount !== null && <Amount paisa={amount} />}
    </>
  );
}

function answerText({ attempts, responseStatus, responseBody, lastAttemptAt }: Delivery): string {
  if (lastAttemptAt === null) return 'not tried yet';
  const answer = responseStatus === null ? (responseBody ?? 'no answer') : `answered ${responseStatus}`;
  return `${counted(attempts, 'try', 'tries')}, ${answer}`;
}
