/** One endpoint, a button that sends a test event, and its delivery log. */
import { useState } from 'preact/hooks';
import { useAsked, useEvery } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { aboutOf, deliveryRows, unlistedDeliveries } from '../../lists/delivery-rows.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/copy.tsx';
import { DeliveryRow } from '../../parts/delivery-row.tsx';
import { endpointState, subscriptionText } from '../../parts/endpoint-line.tsx';
import { Amount, Glyph, Said, Tag } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Failure } from '../../wire/failure.ts';
import type { Delivery, Endpoint, Listed } from '../../wire/types.ts';
import { counted } from '../../words/money.ts';
import { disabledWord } from '../../words/words.ts';
import { deliveryRoute } from '../delivery/route.ts';
import { webhooksEntry } from '../webhooks/route.ts';
import { allDeliveries, endpointRoute, type DeliveryFilters } from './route.ts';

const rowsPerPage = 25;
const pollMs = 10_000;

interface EndpointProps {
  readonly id: string;
  readonly filters: DeliveryFilters;
}

export const endpoint = screen({
  route: endpointRoute,
  title: 'Webhook endpoint',
  navigation: webhooksEntry,
  load: ({ api, place }) => ({ key: 'endpoints', ask: () => api.endpoints(place) }),
  view: OneEndpoint,
});

type Endpoints = Viewed<EndpointProps, { readonly data: readonly Endpoint[] }>;

function OneEndpoint({ params: { id, filters }, asked }: Endpoints) {
  const { to } = useScreenContext();
  const known = asked.value?.data.find((each) => each.id === id) ?? null;
  return (
    <main class="page" id="main">
      <BackLink to={to(webhooksEntry.link)}>Webhooks</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>Endpoint</h1>
        <Id id={id} what="endpoint id" />
      </div>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {known !== null && <EndpointHead endpoint={known} />}
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
        <Tag words={endpointState(endpoint)} /> Receives {subscriptionText(endpoint)}
        {endpoint.description !== null && <> · {endpoint.description}</>}
      </p>
      {endpoint.enabled && <SendTest id={endpoint.id} />}
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

/** Sends a sample, and opens its result. */
function SendTest({ id }: { readonly id: string }) {
  const { api, place, to, go, announce } = useScreenContext();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    const result = await api.test(place, id);
    setBusy(false);
    if (!result.ok) return setFailure(result.failure);
    announce('A test was sent.');
    go(to(deliveryRoute.at({ endpointId: id, eventId: result.value.eventId })));
  };
  return (
    <>
      {failure !== null && <Failed failure={failure} again={() => void send()} />}
      <button type="button" class="button second fit" aria-busy={isBusy} onClick={() => void send()}>
        <Glyph name="send" />
        {isBusy ? 'Sending' : 'Send a test'}
      </button>
    </>
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
  const { to } = useScreenContext();
  return (
    <div class="filters">
      <nav class="chips" aria-label="State">
        {states.map(([status, word]) => (
          <a
            key={status}
            class="chip"
            href={to(endpointRoute.at({ id, filters: { status, page: 1 } }))}
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
  const { api, place, liveState, to } = useScreenContext();
  const { status, page } = filters;
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (status !== '') query.set('status', status);
  const asked = useAsked(`deliveries ${id} ${query}`, () => api.deliveries(place, id, query));
  const { value } = asked;
  useEvery(liveState.connection.is === 'connected' ? null : pollMs, asked.poll);
  if (value === null) {
    if (asked.failure !== null) return <Failed failure={asked.failure} again={asked.again} whole />;
    return <Loading lines={5} what="deliveries" />;
  }
  const addressAt = (at: number): string => to(endpointRoute.at({ id, filters: { status, page: at } }));
  return (
    <>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {status === '' && page === 1 && <More listed={value} id={id} again={asked.again} />}
      {value.data.length === 0 ? <Nothing filters={filters} id={id} /> : <DeliveryList listed={value} />}
      <Pager page={page} limit={value.limit} total={value.total} addressOf={addressAt} what="deliveries" />
    </>
  );
}

function More({ listed, id, again }: { listed: Listed<Delivery>; id: string; again: () => void }) {
  const { liveState } = useScreenContext();
  const count = unlistedDeliveries(listed, liveState.deliveries, id, liveState.epoch);
  if (count === 0) return null;
  return (
    <button type="button" class="more" onClick={again}>
      <Glyph name="down" />
      Show {counted(count, 'new delivery', 'new deliveries')}
    </button>
  );
}

function Nothing({ filters, id }: EndpointProps) {
  const { to } = useScreenContext();
  if (filters.status === '' && filters.page === 1) {
    return (
      <Empty sign="send" title="Nothing was sent yet">
        <p class="soft">The next event that this endpoint receives appears here.</p>
      </Empty>
    );
  }
  return (
    <Empty sign="search" title="No delivery is like that" answerTo={filters}>
      <a class="button second" href={to(endpointRoute.at({ id, filters: allDeliveries }))}>
        Show all deliveries
      </a>
    </Empty>
  );
}

function DeliveryList({ listed }: { readonly listed: Listed<Delivery> }) {
  const { liveState } = useScreenContext();
  return (
    <ul class="deliveries">
      {deliveryRows(listed, liveState.deliveries, liveState.epoch).map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery}>
          <AboutLine delivery={delivery} />
        </DeliveryRow>
      ))}
    </ul>
  );
}

function AboutLine({ delivery }: { readonly delivery: Delivery }) {
  const { amount, buyer, isTest } = aboutOf(delivery);
  if (isTest) return <span class="soft">a test</span>;
  return (
    <>
      {buyer !== null && <Said text={buyer} />} {amount !== null && <Amount paisa={amount} />}
    </>
  );
}
