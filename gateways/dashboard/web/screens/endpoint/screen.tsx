/** One endpoint: how it does, what can be done with it, a button that sends a test event, and its delivery log. */
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { aboutOf, deliveryRows, unlistedDeliveries } from '../../lists/delivery-rows.ts';
import { queryOf } from '../../lists/filters.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/copy.tsx';
import { DeliveryRow } from '../../parts/delivery-row.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { endpointState, errorText, healthText, subscriptionText } from '../../parts/endpoint-line.tsx';
import { ListSection, type ListSpec, type RowProps } from '../../parts/list-section.tsx';
import { Amount, FactList, Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { When } from '../../parts/when.tsx';
import { deliveryRoute, endpointRoute, webhooksEntry } from '../../places.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { Delivery, Endpoint, EndpointHealth } from '../../wire/types.ts';
import { disabledWord } from '../../words/words.ts';
import { useSubmit } from '../../parts/use-submit.ts';

interface EndpointProps {
  readonly id: string;
  readonly filters: (typeof endpointRoute)['none'];
}

export const endpoint = screen({
  route: endpointRoute,
  title: ({ id }, known) => `${known?.data.find((each) => each.id === id)?.url ?? id} · Webhook endpoint`,
  navigation: webhooksEntry,
  follows: ['endpoint', 'delivery'],
  load: ({ api, place }) => ({ key: 'endpoints', ask: () => api.call('GET /v1/webhooks', place) }),
  view: OneEndpoint,
});

type Endpoints = Viewed<EndpointProps, { readonly data: readonly Endpoint[] }>;

function OneEndpoint({ params: { id, filters }, asked }: Endpoints) {
  const { api, place, to } = useScreenContext();
  const known = asked.value?.data.find((each) => each.id === id) ?? null;
  const health = useAsked('webhook health', () => api.call('GET webhook-health', place));
  const own = health.value?.data.find((each) => each.id === id) ?? null;
  // all of it appears at once, so that nothing moves
  const isKnown = asked.value !== null && (health.value !== null || health.failure !== null);
  const changed = (): void => {
    asked.again();
    health.again();
  };
  return (
    <main class="page" id="main">
      <BackLink to={to(webhooksEntry.link)}>Webhooks</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>Endpoint</h1>
        <Id id={id} what="endpoint id" />
      </div>
      {asked.failure !== null && <Failed failure={asked.failure} again={asked.again} />}
      {!isKnown && asked.failure === null && <Loading lines={5} what="the endpoint" />}
      {isKnown && known !== null && (
        <div class="columns">
          <EndpointHead endpoint={known} health={own} />
          <EndpointActions
            endpoint={known}
            health={own}
            eventTypes={health.value?.eventTypes ?? []}
            onChanged={changed}
          />
        </div>
      )}
      {asked.value !== null && known === null && (
        <Empty sign="send" title="There is no such endpoint">
          <p class="soft">It may have been deleted.</p>
        </Empty>
      )}
      {isKnown && <Deliveries id={id} filters={filters} />}
    </main>
  );
}

interface HeadProps {
  readonly endpoint: Endpoint;
  /** null: not known yet. */
  readonly health: EndpointHealth | null;
}

function EndpointHead({ endpoint, health }: HeadProps) {
  return (
    <section class="slip lone act endpoint-head" aria-label="What it is">
      <p class="url">
        <UserText text={endpoint.url} />
      </p>
      <p class="soft">
        <Tag words={endpointState(endpoint)} /> Receives {subscriptionText(endpoint)}
        {endpoint.description !== null && <> · {endpoint.description}</>}
      </p>
      <HealthFacts health={health} />
      {endpoint.enabled && <SendTest id={endpoint.id} />}
      {endpoint.disabledReason !== null && (
        <div class="notice">
          <Glyph name="note" />
          <div>
            <strong>{disabledWord(endpoint.disabledReason)}</strong>
            Nothing is sent there. Enable it to go on; then you can send what it missed.
          </div>
        </div>
      )}
    </section>
  );
}

function HealthFacts({ health }: Pick<HeadProps, 'health'>) {
  const { now, to } = useScreenContext();
  if (health === null) return <Loading lines={2} what="how it does" />;
  const { id, lastError, previousSecretExpiresAt, isRecovering } = health;
  return (
    <FactList
      of={[
        ['Success', healthText(health)],
        lastError !== null && [
          'Last error',
          <a href={to(deliveryRoute.at({ endpointId: id, eventId: lastError.eventId }))}>
            {errorText(lastError)}
          </a>,
        ],
        previousSecretExpiresAt !== null && [
          'The old secret ends',
          <When at={previousSecretExpiresAt} now={now} />,
        ],
        isRecovering && ['What it missed', 'is being queued'],
      ]}
    />
  );
}

/** Sends a sample, and opens its result. */
function SendTest({ id }: { readonly id: string }) {
  const { api, place, to, go, announce } = useScreenContext();
  const { isBusy, failure, submit } = useSubmit();
  const send = (): void =>
    submit(
      () => api.call('POST /v1/webhooks/{id}/test', place, { id }),
      ({ eventId }) => {
        announce('A test was sent.');
        go(to(deliveryRoute.at({ endpointId: id, eventId })));
      },
    );
  return (
    <>
      {failure !== null && <Failed failure={failure} again={send} />}
      <button type="button" class="button second fit" aria-busy={isBusy} onClick={send}>
        <Glyph name="send" />
        {isBusy ? 'Sending' : 'Send a test'}
      </button>
    </>
  );
}

function Deliveries(params: EndpointProps) {
  const { api, place } = useScreenContext();
  const { id, filters } = params;
  const query = queryOf(filters);
  const asked = useAsked(
    `deliveries ${id} ${query}`,
    () => api.call('GET /v1/webhooks/{id}/deliveries', place, { id, query }),
    [],
  );
  return <ListSection spec={deliveries} params={params} asked={asked} />;
}

const deliveries: ListSpec<Delivery, EndpointProps> = {
  route: endpointRoute,
  what: ['delivery', 'deliveries'],
  label: 'Deliveries',
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [
        ['', 'All'],
        ['success', 'Delivered'],
        ['retrying', 'Trying again'],
        ['pending', 'On their way'],
        ['failed', 'Not delivered'],
      ],
    },
  },
  shown: (listed, { id, filters: { status } }, { liveState: { deliveries: received, epoch } }) => ({
    rows: deliveryRows(listed, received, epoch),
    // a delivery received may have left the status that is filtered
    unlisted: status === '' ? unlistedDeliveries(listed, received, id, epoch) : 0,
  }),
  rows: { columns: 'deliveries', row: Row },
  empty: {
    sign: 'send',
    title: 'Nothing was sent yet',
    text: 'The next event that this endpoint receives appears here.',
  },
  noMatch: { title: 'No delivery is like that' },
};

function Row({ row: delivery }: RowProps<Delivery>) {
  return (
    <DeliveryRow delivery={delivery}>
      <AboutLine delivery={delivery} />
    </DeliveryRow>
  );
}

function AboutLine({ delivery }: { readonly delivery: Delivery }) {
  const { amount, buyer, isTest } = aboutOf(delivery);
  if (isTest) return <span class="soft">a test</span>;
  return (
    <>
      {buyer !== null && <UserText text={buyer} />} {amount !== null && <Amount paisa={amount} />}
    </>
  );
}
