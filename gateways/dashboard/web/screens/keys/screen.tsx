/** The API keys of this project and mode: create, see once, revoke. */
import { useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { KeyForm } from './key-form.tsx';
import { KeyItem } from './key-item.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { keysEntry, keysRoute } from '../../places.ts';
import type { NewApiKey } from '../../wire/types.ts';
import { powerOf } from '../../words/settings.ts';

export const keys = listScreen({
  route: keysRoute,
  title: 'API keys',
  navigation: keysEntry,
  follows: ['project'],
  clock: 'real',
  from: 'GET keys',
  what: ['key', 'keys'],
  label: 'Keys',
  lead: <Lead />,
  above: NewKey,
  rows: { columns: 'set-rows', row: KeyItem },
  empty: {
    sign: 'lock',
    title: 'No key yet',
    text: 'Create one for your server: it is what the API asks for.',
  },
});

function Lead() {
  const { place } = useScreenContext();
  return place.mode === 'live' ? (
    <>What your servers call the API with for real payments. Sandbox keys are in the sandbox.</>
  ) : (
    <>What your servers call the API with while you test. Live keys are in live.</>
  );
}

type Step =
  | { readonly is: 'closed' }
  | { readonly is: 'open' }
  | { readonly is: 'made'; readonly made: NewApiKey };

function NewKey({ again }: { readonly again: () => void }) {
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
            again();
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
