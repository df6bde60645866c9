/** The form that creates an API key.
 *  1. One form is one key. After an unclear answer it stays as it was sent, so that sent again it is the same key;
 *     after a refusal it may be changed, and begins another one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { nameCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import type { KeyAccess, KeyKind, KeyRequest, NewApiKey } from '../wire/settings-api.ts';
import { endOfDay, powerOf } from '../words/settings.ts';
import { useCreation, type Creation } from './use-submit.ts';
import { FormFailure } from './notices.tsx';

export interface KeyFormProps {
  readonly onCreated: (made: NewApiKey) => void;
  readonly onBack: () => void;
}

/** Kind and access in one choice: a publishable key only reads. */
const uses = [
  ['full', 'Secret, full access', 'secret', 'full'],
  ['read', 'Secret, read only', 'secret', 'read'],
  ['publishable', 'Publishable', 'publishable', 'read'],
] as const satisfies readonly (readonly [string, string, KeyKind, KeyAccess])[];
type Use = (typeof uses)[number];

export function KeyForm({ onCreated, onBack }: KeyFormProps) {
  const { place } = useScreenContext();
  const [name, setName] = useState('');
  const [use, setUse] = useState<Use>(uses[0]);
  const [day, setDay] = useState('');
  const [isNameMissing, setNameMissing] = useState(false);
  const { isBusy, isFixed, failure, create, edited } = useKeyCreation(onCreated);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const submitted = (event: SubmitEvent): void => {
    event.preventDefault();
    if (name.trim() === '') {
      setNameMissing(true);
      return first.current?.focus();
    }
    const [, , kind, access] = use;
    create({ name: name.trim(), kind, access, expiresAt: day === '' ? null : endOfDay(day) });
  };

  return (
    <form class="form" aria-label="Create a key" onSubmit={submitted} onInput={edited} noValidate>
      <label class="field">
        Name
        <input
          ref={first}
          value={name}
          maxLength={nameCharactersMax}
          autocomplete="off"
          placeholder="Shop server"
          required
          readOnly={isFixed}
          aria-invalid={isNameMissing}
          aria-describedby="key-name-note"
          onInput={({ currentTarget }) => {
            setName(currentTarget.value);
            setNameMissing(false);
          }}
        />
        <span id="key-name-note" class={isNameMissing ? 'wrong' : 'soft'}>
          {isNameMissing
            ? 'Write a name, to know the key again.'
            : 'For you, to know it again. Buyers do not see it.'}
        </span>
      </label>
      <UseField use={use} isFixed={isFixed} onUse={setUse} />
      <label class="field">
        Works until
        <input
          type="date"
          value={day}
          min={tomorrow()}
          readOnly={isFixed}
          onInput={({ currentTarget }) => setDay(currentTarget.value)}
        />
        <span class="soft">To the end of that day in Nepal. Empty: until you revoke it.</span>
      </label>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          {isBusy ? 'Creating' : `Create the ${place.mode} key`}
        </button>
        <button class="button second fit" type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

function useKeyCreation(onCreated: KeyFormProps['onCreated']): Creation<KeyRequest> {
  const { api, place } = useScreenContext();
  return useCreation((request, key) => api.createKey(place, request, key), onCreated);
}

interface UseFieldProps {
  readonly use: Use;
  readonly isFixed: boolean;
  readonly onUse: (use: Use) => void;
}

function UseField({ use, isFixed, onUse }: UseFieldProps) {
  const { place } = useScreenContext();
  return (
    <fieldset class="stacked" disabled={isFixed}>
      <legend>What it may do</legend>
      {uses.map((each) => (
        <label key={each[0]} class="check">
          <input type="radio" name="use" checked={use[0] === each[0]} onChange={() => onUse(each)} />
          <span>
            <b>{each[1]}</b>
            <span class="soft">{powerOf(each[2], each[3], place.mode)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const dayMs = 24 * 60 * 60 * 1000;
const tomorrow = (): string => new Date(Date.now() + dayMs).toISOString().slice(0, 10);
