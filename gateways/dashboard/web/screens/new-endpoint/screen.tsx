/** Adds an endpoint, and shows its secret this once. */
import { useState } from 'preact/hooks';
import { endpointRoute, newEndpointRoute, webhooksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { EndpointForm } from '../../parts/endpoint-form.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Endpoint, NewSecret, WebhookHealth } from '../../wire/types.ts';

export const newEndpoint = screen({
  route: newEndpointRoute,
  title: 'New endpoint',
  navigation: webhooksEntry,
  follows: ['endpoint'],
  load: ({ api, place }) => ({ key: 'webhook health', ask: () => api.call('GET webhook-health', place) }),
  view: NewEndpointScreen,
});

function NewEndpointScreen({ asked }: Viewed<object, WebhookHealth>) {
  const { api, place, to, announce } = useScreenContext();
  const [made, setMade] = useState<(Endpoint & NewSecret) | null>(null);
  const { value, failure, again } = asked;
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(webhooksEntry.link)}>Webhooks</BackLink>
      <h1 tabIndex={-1}>New endpoint</h1>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      <section class="slip lone act" aria-label="New endpoint">
        {made !== null ? (
          <Made made={made} />
        ) : value === null ? (
          <Loading lines={3} what="the form" />
        ) : (
          <EndpointForm
            eventTypes={value.eventTypes}
            word="Add the endpoint"
            send={(request, key) => api.call('POST /v1/webhooks', place, { body: request, key })}
            onDone={(endpoint) => {
              announce('The endpoint was added. Its secret is shown this once.');
              setMade(endpoint);
            }}
          />
        )}
      </section>
    </main>
  );
}

function Made({ made }: { readonly made: Endpoint & NewSecret }) {
  const { to } = useScreenContext();
  return (
    <>
      <ShownOnce title="Copy the secret to your server now" facts={[['Signing secret', made.signing_secret]]}>
        Your server verifies with it that a webhook comes from here. It is not shown again; if it gets lost,
        rotate it.
      </ShownOnce>
      <div class="buttons">
        <a class="button fit" href={to(endpointRoute.at({ id: made.id }))}>
          Open the endpoint
          <Glyph name="arrow" />
        </a>
      </div>
    </>
  );
}
