/** How this project uses each provider in this mode: credentials, on or off, its place, and how it does. */
import { useState } from 'preact/hooks';
import { providersEntry, providersRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { Failed, FormFailure, Loading } from '../../parts/notices.tsx';
import { Incidents, useIncidents } from '../../parts/incidents.tsx';
import { ProviderCard } from './provider-card.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Failure } from '../../wire/failure.ts';
import type { ProviderIncident, ProviderSettings } from '../../wire/types.ts';
import { providerForms } from '../../words/providers.ts';
import { movedOrder } from '../../words/settings.ts';
import { providerWord } from '../../words/words.ts';

export const providers = screen({
  route: providersRoute,
  title: 'Providers',
  navigation: providersEntry,
  follows: ['project', 'provider'],
  load: ({ api, place }) => ({
    key: 'provider settings',
    ask: () => api.call('GET provider-settings', place),
  }),
  view: Providers,
});

function Providers({ asked }: Viewed<object, { readonly data: readonly ProviderSettings[] }>) {
  const { place } = useScreenContext();
  const { value, failure, again } = asked;
  const incidents = useIncidents();
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Providers</h1>
      <p class="lead soft">
        {place.mode === 'live'
          ? 'What buyers can pay with for real. Each needs the credentials that it has issued to you.'
          : 'What buyers can pay with in the sandbox. It has the simulator’s credentials from the start.'}
      </p>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={4} what="the providers" />}
      {value !== null && <Cards all={value.data} incidents={incidents.value?.open ?? []} again={again} />}
      {value !== null && <Incidents asked={incidents} />}
    </main>
  );
}

const inCheckout = (id: string): boolean => providerForms.some((form) => form.id === id && form.inCheckout);

interface CardsProps {
  readonly all: readonly ProviderSettings[];
  /** The open ones. */
  readonly incidents: readonly ProviderIncident[];
  readonly again: () => void;
}

function Cards({ all, incidents, again }: CardsProps) {
  const { api, place, announce } = useScreenContext();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isMoving, setMoving] = useState(false);
  const offered = all.filter(({ provider }) => inCheckout(provider));
  const later = all.filter(({ provider }) => !inCheckout(provider));
  const ids = offered.map(({ provider }) => provider);

  const move = async (from: number, to: number): Promise<void> => {
    if (isMoving) return;
    setMoving(true);
    setFailure(null);
    const changes = movedOrder(ids, from, to, (id) => all.find((one) => one.provider === id)?.order ?? 0);
    for (const [id, order] of changes) {
      const result = await api.call('PUT provider-settings/{provider}', place, {
        provider: id,
        body: { order },
      });
      if (!result.ok) {
        setFailure(result.failure);
        break;
      }
    }
    setMoving(false);
    announce(`${providerWord(ids[from] ?? '')} is now number ${to + 1}.`);
    again();
  };

  return (
    <>
      {failure !== null && <FormFailure failure={failure} />}
      <ol class="provider-cards" aria-label="In the order of the payment page">
        {offered.map((settings, at) => (
          <ProviderCard
            key={settings.provider}
            settings={settings}
            incidents={incidents.filter(({ provider }) => provider === settings.provider)}
            place={{ at, of: offered.length, move: (to) => void move(at, to) }}
            onChanged={again}
          />
        ))}
      </ol>
      {later.length > 0 && (
        <>
          <h2 class="apart">For invoices only</h2>
          <p class="lead soft">
            Checkouts do not offer them. The page of an invoice does, once their credentials are stored.
          </p>
          <ul class="provider-cards">
            {later.map((settings) => (
              <ProviderCard
                key={settings.provider}
                settings={settings}
                incidents={[]}
                place={null}
                onChanged={again}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}
