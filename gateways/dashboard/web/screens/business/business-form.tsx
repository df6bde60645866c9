/** The name of the business and the address of its shop. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import type { Failure } from '../../wire/failure.ts';
import type { Business } from '../../wire/types.ts';
import { nameCharactersMax, urlCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { FormFailure } from '../../parts/notices.tsx';
import { useSubmit } from '../../parts/use-submit.ts';

export interface BusinessFormProps {
  readonly business: Business;
  readonly onChanged: () => void;
}

export function BusinessForm({ business, onChanged }: BusinessFormProps) {
  const { api, place } = useScreenContext();
  const [name, setName] = useState(business.name);
  const [shop, setShop] = useState(business.shopUrl ?? '');
  const { isBusy, failure, edited, submit } = useSubmit();
  const [isSaved, setSaved] = useState(false);
  // as the service has it; before the next key is pressed
  useLayoutEffect(() => {
    setName(business.name);
    setShop(business.shopUrl ?? '');
  }, [business.name, business.shopUrl]);
  const typedName = name.trim();
  const shopUrl = shop.trim() === '' ? null : shop.trim();
  const isSame = typedName === business.name && shopUrl === business.shopUrl;

  const saved = (): void => {
    setSaved(true);
    onChanged();
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (typedName !== '')
      submit(() => api.call('PATCH business', place, { body: { name: typedName, shopUrl } }), saved);
  };

  return (
    <section class="slip lone act" aria-labelledby="who">
      <h2 id="who">Who you are</h2>
      <form
        class="form bare"
        onSubmit={send}
        onInput={() => {
          setSaved(false);
          edited();
        }}
        noValidate
      >
        <NameField name={name} isRefused={failure?.param === 'name'} onName={setName} />
        <label class="field">
          Address of your shop
          <input
            type="url"
            inputMode="url"
            value={shop}
            maxLength={urlCharactersMax}
            autocomplete="url"
            placeholder="https://shop.example"
            aria-invalid={failure?.param === 'shopUrl'}
            onInput={({ currentTarget }) => setShop(currentTarget.value)}
          />
          <span class="soft">
            Begins with https. Pages that cannot go on link to it. Empty: there is none.
          </span>
        </label>
        {failure !== null && <FormFailure failure={inWords(failure)} />}
        <SavedLine isSaved={isSaved} />
        <div class="buttons">
          <button class="button fit" type="submit" aria-busy={isBusy} disabled={isSame || typedName === ''}>
            {isBusy ? 'Saving' : 'Save'}
          </button>
        </div>
      </form>
    </section>
  );
}

const SavedLine = ({ isSaved }: { readonly isSaved: boolean }) => (
  <p class="saved" role="status">
    {isSaved && 'Saved. Buyers see it within 5 seconds.'}
  </p>
);

interface NameFieldProps {
  readonly name: string;
  readonly isRefused: boolean;
  readonly onName: (name: string) => void;
}

function NameField({ name, isRefused, onName }: NameFieldProps) {
  const isMissing = name.trim() === '';
  return (
    <label class="field">
      Name
      <input
        value={name}
        maxLength={nameCharactersMax}
        required
        autocomplete="organization"
        aria-invalid={isMissing || isRefused}
        aria-describedby="name-note"
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <span id="name-note" class={isMissing ? 'wrong' : 'soft'}>
        {isMissing
          ? 'Write a name: buyers must know whom they pay.'
          : 'On every payment page and in receipts.'}
      </span>
    </label>
  );
}

/** The fields by the names that the form gives them. */
const inWords = (failure: Failure): Failure => ({
  ...failure,
  message: failure.message.replace(/^shopUrl /, 'The address of your shop ').replace(/^name /, 'The name '),
});
