/** Where events are sent to: the shop's endpoints, and how each does. */
import { useAsked } from '../../asked.ts';
import { newEndpointRoute, webhooksEntry, webhooksRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { EndpointLine } from '../../parts/endpoint-line.tsx';
import { Code } from '../../parts/copy.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Endpoint } from '../../wire/types.ts';

/** The service allows no more for a project and mode. */
const endpointsMax = 10;

export const webhooks = screen({
  route: webhooksRoute,
  title: 'Webhooks',
  navigation: webhooksEntry,
  follows: ['endpoint', 'delivery'],
  load: ({ api, place }) => ({ key: 'endpoints', ask: () => api.call('GET /v1/webhooks', place) }),
  view: Webhooks,
});

function Webhooks({ asked }: Viewed<object, { readonly data: readonly Endpoint[] }>) {
  const { api, place, to } = useScreenContext();
  const endpoints = asked.value?.data ?? null;
  const health = useAsked('webhook health', () => api.call('GET webhook-health', place));
  const healthOf = (id: string) => health.value?.data.find((each) => each.id === id) ?? null;
  return (
    <main class="page" id="main">
      <div class="heading">
        <h1 tabIndex={-1}>Webhooks</h1>
        {endpoints !== null && endpoints.length > 0 && endpoints.length < endpointsMax && (
          <a class="button fit begin" href={to(newEndpointRoute.at({}))}>
            <Glyph name="plus" />
            Add an endpoint
          </a>
        )}
      </div>
      <p class="lead soft">Your servers, and what was sent to them. Open one to see each delivery.</p>
      <section class="slip lone list" aria-label="Endpoints">
        {asked.failure !== null && (
          <Failed failure={asked.failure} again={asked.again} whole={endpoints === null} />
        )}
        {endpoints === null && asked.failure === null && <Loading lines={3} what="endpoints" />}
        {endpoints !== null && endpoints.length === 0 && <NoEndpoint />}
        {endpoints !== null && endpoints.length > 0 && (
          <ul class="rows endpoints">
            {endpoints.map((endpoint) => (
              <EndpointLine key={endpoint.id} endpoint={endpoint} health={healthOf(endpoint.id)} />
            ))}
          </ul>
        )}
      </section>
      {endpoints !== null && endpoints.length >= endpointsMax && (
        <p class="lead soft">These are the most there can be. Delete one to add another.</p>
      )}
    </main>
  );
}

function NoEndpoint() {
  const { place, to } = useScreenContext();
  const key = place.mode === 'live' ? 'sk_live_...' : 'sk_test_...';
  return (
    <Empty sign="send" title="No endpoint yet">
      <p class="soft">
        Register the address of your server once. It then receives a signed event for every payment, repeated
        until your server answers.
      </p>
      <a class="button fit" href={to(newEndpointRoute.at({}))}>
        <Glyph name="plus" />
        Add an endpoint
      </a>
      <p class="soft">Or from your own code:</p>
      <Code what="Command that registers an endpoint" text={firstEndpoint(location.origin, key)} />
    </Empty>
  );
}

const firstEndpoint = (origin: string, key: string): string => `curl ${origin}/v1/webhooks \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://shop.example/hooks", "events": ["*"]}'`;
