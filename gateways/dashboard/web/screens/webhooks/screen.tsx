/** Where events are sent to: the shop's endpoints. */
import { useScreenContext } from '../../context.ts';
import { EndpointLine } from '../../parts/endpoint-line.tsx';
import { Code } from '../../parts/copy.tsx';
import { Empty, Failed, Loading } from '../../parts/notices.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Endpoint } from '../../wire/types.ts';
import { webhooksEntry, webhooksRoute } from './route.ts';

export const webhooks = screen({
  route: webhooksRoute,
  title: 'Webhooks',
  navigation: webhooksEntry,
  load: ({ api, place }) => ({ key: 'endpoints', ask: () => api.endpoints(place) }),
  view: Webhooks,
});

function Webhooks({ asked }: Viewed<object, { readonly data: readonly Endpoint[] }>) {
  const endpoints = asked.value?.data ?? null;
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Webhooks</h1>
      <p class="lead soft">Your servers, and what was sent to them. Open one to see each delivery.</p>
      <section class="slip lone list" aria-label="Endpoints">
        {asked.failure !== null && (
          <Failed failure={asked.failure} again={asked.again} whole={endpoints === null} />
        )}
        {endpoints === null && asked.failure === null && <Loading lines={3} what="endpoints" />}
        {endpoints !== null && endpoints.length === 0 && <NoEndpoint />}
        {endpoints !== null && endpoints.length > 0 && (
          <ul class="endpoints">
            {endpoints.map((endpoint) => (
              <EndpointLine key={endpoint.id} endpoint={endpoint} />
            ))}
          </ul>
        )}
      </section>
    </main>
  );
}

function NoEndpoint() {
  const { place } = useScreenContext();
  const key = place.mode === 'live' ? 'sk_live_...' : 'sk_test_...';
  return (
    <Empty sign="send" title="No endpoint yet">
      <p class="soft">
        Register the address of your server once. It then receives a signed event for every payment, repeated
        until your server answers.
      </p>
      <Code what="Command that registers an endpoint" text={firstEndpoint(location.origin, key)} />
    </Empty>
  );
}

const firstEndpoint = (origin: string, key: string): string => `curl ${origin}/v1/webhooks \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://shop.example/hooks", "events": ["*"]}'`;
