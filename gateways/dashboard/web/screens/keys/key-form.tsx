/** The form that creates an API key. */
import { nameCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { good, readForm, requiredText, type ReadForm, type TextOf } from '../../wire/form-reading.ts';
import type { KeyAccess, KeyKind, KeyRequest, NewApiKey } from '../../wire/types.ts';
import { endOfDay, powerOf } from '../../words/settings.ts';
import { RequestForm } from '../../parts/request-form.tsx';

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

export function KeyForm({ onCreated, onBack }: KeyFormProps) {
  const { api, place } = useScreenContext();
  return (
    <RequestForm
      name="Create a key"
      word={`Create the ${place.mode} key`}
      busyWord="Creating"
      fields={[
        {
          name: 'name',
          label: 'Name',
          maxLength: nameCharactersMax,
          placeholder: 'Shop server',
          note: 'For you, to know it again. Buyers do not see it.',
        },
        {
          name: 'use',
          label: 'What it may do',
          radios: uses.map(([use, word, kind, access]) => [use, word, powerOf(kind, access, place.mode)]),
          initial: 'full',
          isStacked: true,
        },
        {
          name: 'expiresAt',
          label: 'Works until',
          type: 'date',
          min: tomorrow(),
          note: 'To the end of that day in Nepal. Empty: until you revoke it.',
        },
      ]}
      read={keyRequestFrom}
      send={(request, key) => api.call('POST keys', place, { body: request, key })}
      onDone={onCreated}
      onBack={onBack}
      beginsAtField
    />
  );
}

const keyRequestFrom = (text: TextOf): ReadForm<KeyRequest> => {
  const [, , kind, access] = uses.find(([use]) => use === text('use')) ?? uses[0];
  return readForm(
    {
      name: requiredText(text('name'), nameCharactersMax, 'Write a name, to know the key again.'),
      expiresAt: good(text('expiresAt') === '' ? null : endOfDay(text('expiresAt'))),
    },
    (values) => ({ ...values, kind, access }),
  );
};

const dayMs = 24 * 60 * 60 * 1000;
const tomorrow = (): string => new Date(Date.now() + dayMs).toISOString().slice(0, 10);
