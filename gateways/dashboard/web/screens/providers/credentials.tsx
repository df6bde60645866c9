/** The credentials of one provider: which are stored, and a form that replaces all of them. No value ever comes back
 *  from the service, so none is shown. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { isUnclear, type Failure } from '../../wire/failure.ts';
import type { ProviderSettings } from '../../wire/types.ts';
import type { CredentialField, ProviderForm } from '../../words/providers.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';
import { useSubmit } from '../../parts/use-submit.ts';

export interface CredentialsProps {
  readonly form: ProviderForm;
  readonly label: string;
  readonly settings: ProviderSettings;
  readonly onChanged: () => void;
}

type Way = 'replace' | 'remove';

export function Credentials({ form, label, settings, onChanged }: CredentialsProps) {
  const { announce } = useScreenContext();
  const [way, setWay] = useState<Way | null>(null);
  const back = (): void => setWay(null);
  const done = (news: string) => (): void => {
    announce(news);
    setWay(null);
    onChanged();
  };
  if (way === 'remove')
    return (
      <Removal
        id={form.id}
        label={label}
        onDone={done(`The credentials of ${label} were removed.`)}
        onBack={back}
      />
    );
  if (way === 'replace')
    return (
      <CredentialsForm
        form={form}
        label={label}
        isStored={(name) => settings.credentialNames.includes(name)}
        onDone={done(`The credentials of ${label} were stored.`)}
        onBack={back}
      />
    );
  return <Stored form={form} label={label} settings={settings} onWay={setWay} />;
}

interface StoredProps extends Omit<CredentialsProps, 'onChanged'> {
  readonly onWay: (way: Way) => void;
}

const Stored = ({ form, label, settings: { configured, credentialNames }, onWay }: StoredProps) => (
  <>
    <StoredNames form={form} names={credentialNames} />
    <div class="buttons">
      <button
        type="button"
        class="step"
        aria-label={`${configured ? 'Replace' : 'Enter'} the credentials of ${label}`}
        onClick={() => onWay('replace')}
      >
        <Glyph name="lock" />
        {configured ? 'Replace credentials' : 'Enter credentials'}
      </button>
      {configured && (
        <button
          type="button"
          class="step"
          aria-label={`Remove the credentials of ${label}`}
          onClick={() => onWay('remove')}
        >
          <Glyph name="cross" />
          Remove
        </button>
      )}
    </div>
  </>
);

/** Which are stored; several are folded away. */
function StoredNames({ form, names }: { readonly form: ProviderForm; readonly names: readonly string[] }) {
  const facts = (
    <dl class="facts">
      {form.credentials.map(({ name, label: field, optional }) => (
        <div key={name}>
          <dt>{field}</dt>
          <dd>{names.includes(name) ? 'Set' : optional ? 'Not set (optional)' : 'Not set'}</dd>
        </div>
      ))}
    </dl>
  );
  if (form.credentials.length === 1) return facts;
  const stored = form.credentials.filter(({ name }) => names.includes(name)).length;
  return (
    <details class="stored">
      <summary>
        <span>
          {stored} of {form.credentials.length} set
        </span>
        <Glyph name="down" />
      </summary>
      {facts}
    </details>
  );
}

interface RemovalProps {
  readonly id: string;
  readonly label: string;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

function Removal({ id, label, onDone, onBack }: RemovalProps) {
  const { api, place } = useScreenContext();
  return (
    <ActionForm
      isDanger
      word={`Remove the credentials of ${label}`}
      send={() =>
        api.call('PUT provider-settings/{provider}', place, { provider: id, body: { credentials: null } })
      }
      onDone={onDone}
      onBack={onBack}
    >
      <h3>What this does, within 5 seconds</h3>
      <ul class="effects">
        <li>
          Buyers are not offered {label} any more in {place.mode}.
        </li>
        <li>
          Payments under way with it can no longer be looked up: wait until none is running, or their end
          stays unknown.
        </li>
      </ul>
    </ActionForm>
  );
}

interface FormProps {
  readonly form: ProviderForm;
  readonly label: string;
  readonly isStored: (name: string) => boolean;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

function CredentialsForm({ form, label, isStored, onDone, onBack }: FormProps) {
  const { api, place } = useScreenContext();
  const { isBusy, failure, submit } = useSubmit();
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (element.current === null) return;
    const credentials = textsIn(new FormData(element.current), form.credentials);
    submit(
      () => api.call('PUT provider-settings/{provider}', place, { provider: form.id, body: { credentials } }),
      onDone,
    );
  };
  const wrong = failure?.param?.replace(/^credentials\./, '') ?? null;
  return (
    <form class="form" ref={element} aria-label={`Credentials of ${label}`} onSubmit={send}>
      <p class="soft">
        As {label} issued them to you for {place.mode === 'live' ? 'live' : 'its test system'}. They are
        stored encrypted and never shown again, so enter all of them.
      </p>
      {form.credentials.map((field) => (
        <Field
          key={field.name}
          field={field}
          isStored={isStored(field.name)}
          isWrong={wrong === field.name}
        />
      ))}
      {failure !== null && (
        <FormFailure
          failure={isUnclear(failure) ? failure : { ...failure, message: inWords(failure, form) }}
        />
      )}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          {isBusy ? 'Storing' : 'Store credentials'}
        </button>
        <button class="button second fit" type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: CredentialField;
  readonly isStored: boolean;
  readonly isWrong: boolean;
}

/** No browser offers to keep it as a password of this page. */
const Field = ({ field: { name, label, optional, pem, charactersMax }, isStored, isWrong }: FieldProps) => {
  const shared = {
    name,
    required: optional !== true,
    autocomplete: 'off',
    spellcheck: false,
    ...(charactersMax === undefined ? {} : { maxLength: charactersMax }),
    placeholder: isStored ? 'Set; enter it again' : '',
    'aria-invalid': isWrong,
  } as const;
  return (
    <label class="field">
      {optional === true ? `${label} (optional)` : label}
      {pem === true ? (
        <textarea rows={4} {...shared} />
      ) : (
        <input type="text" class="hidden-text" {...shared} />
      )}
    </label>
  );
};

/** Only what was written: an optional one that is empty is left out. */
function textsIn(data: FormData, fields: readonly CredentialField[]): { readonly [name: string]: string } {
  const texts = fields.map(({ name }): readonly [string, string] => {
    const value = data.get(name);
    return [name, typeof value === 'string' ? value.trim() : ''];
  });
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

/** The field by the name that the form gives it. */
const inWords = ({ message }: Failure, { credentials }: ProviderForm): string =>
  credentials.reduce((text, { name, label }) => text.replace(`credentials.${name}`, label), message);
