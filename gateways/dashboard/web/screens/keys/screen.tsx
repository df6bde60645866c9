/** The API keys of this project and mode: create, see once, revoke. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { rowsPerPage } from '../../lists/filters.ts';
import { KeyForm } from '../../parts/key-form.tsx';
import { KeyItem } from '../../parts/key-item.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { ApiKey, NewApiKey } from '../../wire/settings-api.ts';
import type { Listed } from '../../wire/types.ts';
import { powerOf } from '../../words/settings.ts';
import { keysEntry, keysRoute } from './route.ts';

export const keys = screen({
  route: keysRoute,
  title: 'API keys',
  navigation: keysEntry,
  follows: ['project'],
  clock: 'real',
  load: ({ api, place }, { filters: page }) => ({
    key: `keys ${page}`,
    ask: () => api.keys(place, new URLSearchParams({ page: String(page), limit: String(rowsPerPage) })),
  }),
  view: Keys,
});

function Keys({ params: { filters: page }, asked }: Viewed<{ readonly filters: number }, Listed<ApiKey>>) {
  const { place, to } = useScreenContext();
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>API keys</h1>
      <p class="lead soft">
        {place.mode === 'live'
          ? 'What your servers call the API with for real payments. Sandbox keys are in the sandbox.'
          : 'What your servers call the API with while you test. Live keys are in live.'}
      </p>
      <NewKey onCreated={asked.again} />
      <section class="slip lone list" aria-label="Keys">
        <PagedList
          asked={asked}
          what={['key', 'keys']}
          page={page}
          addressOf={(at) => to(keysRoute.at({ filters: at }))}
          shown={({ data }) => ({ rows: data })}
          empty={
            <Empty sign="lock" title="No key yet">
              <p class="soft">Create one for your server: it is what the API asks for.</p>
            </Empty>
          }
        >
          {(rows) => (
            <ul class="set-rows">
              {rows.map((key) => (
                <KeyItem key={key.id} of={key} onRevoked={asked.again} />
              ))}
            </ul>
          )}
        </PagedList>
      </section>
    </main>
  );
}

type Step =
  | { readonly is: 'closed' }
  | { readonly is: 'open' }
  | { readonly is: 'made'; readonly made: NewApiKey };

function NewKey({ onCreated }: { readonly onCreated: () => void }) {
  const { announce } = useScreenContext();
  const [step, setStep] = useState<Step>({ is: 'closed' });
  return (
    <section class="slip lone act" aria-labelledby="new-key">
      <h2 id="new-key" tabIndex={-1}>
        {step.is === 'made' ? 'Your new key' : 'A new key'}
      </h2>
      {step.is === 'open' && (
        <KeyForm
          onBack={() => setStep({ is: 'closed' })}
          onCreated={(made) => {
            setStep({ is: 'made', made });
            announce('The key was created. Its text is shown this once: copy it now.');
            onCreated();
          }}
        />
      )}
      {step.is === 'made' && <MadeKey made={step.made} onDone={() => setStep({ is: 'closed' })} />}
      {step.is === 'closed' && (
        <>
          <p class="soft">Each server gets its own, so that one can be revoked without the others.</p>
          <div class="buttons">
            <button type="button" class="button fit" onClick={() => setStep({ is: 'open' })}>
              <Glyph name="lock" />
              Create a key
            </button>
          </div>
        </>
      )}
    </section>
  );
}

const MadeKey = ({ made, onDone }: { readonly made: NewApiKey; readonly onDone: () => void }) => (
  <>
    <ShownOnce title="Copy the key now: it is not shown again" facts={[[made.name ?? 'Key', made.key]]}>
      {powerOf(made.kind, made.access, made.mode)} We keep only a hash of it.
    </ShownOnce>
    <div class="buttons">
      <button type="button" class="button fit" onClick={onDone}>
        I have copied it
      </button>
    </div>
  </>
);
