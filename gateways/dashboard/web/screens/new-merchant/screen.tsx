/** The form that creates a merchant; its password is shown this once. */
import { useRef, useState } from 'preact/hooks';
import { merchantRoute, merchantsEntry, newMerchantRoute } from '../../places.ts';
import { emailCharactersMax, nameCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { usePageContext } from '../../context.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';
import { PlanField } from '../../parts/plan-field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { operatorScreen } from '../../screen.tsx';
import type { NewMerchant, Plan } from '../../wire/operator-api.ts';
import { useSubmit } from '../../parts/use-submit.ts';

export const newMerchant = operatorScreen({
  route: newMerchantRoute,
  title: 'New merchant',
  navigation: merchantsEntry,
  // the form needs nothing
  load: () => ({ key: 'new merchant', ask: () => Promise.resolve({ ok: true, value: null }) }),
  view: NewMerchantScreen,
});

function NewMerchantScreen() {
  const { to } = usePageContext();
  const [made, setMade] = useState<NewMerchant | null>(null);
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(merchantsEntry.link)}>Merchants</BackLink>
      <h1 tabIndex={-1}>New merchant</h1>
      <section class="slip lone act" aria-label="New merchant">
        {made === null ? (
          <MerchantForm onMade={setMade} />
        ) : (
          <Made made={made} onAnother={() => setMade(null)} />
        )}
      </section>
    </main>
  );
}

function MerchantForm({ onMade }: { readonly onMade: (made: NewMerchant) => void }) {
  const { api, announce, onProjectsChanged } = usePageContext();
  const [plan, setPlan] = useState<Plan>('free');
  const { isBusy, failure, submit } = useSubmit();
  const name = useRef<HTMLInputElement>(null);
  const email = useRef<HTMLInputElement>(null);
  const send = (event: SubmitEvent): void => {
    const text = (field: HTMLInputElement | null): string => field?.value.trim() ?? '';
    submit(
      () => api.newMerchant({ name: text(name.current), email: text(email.current), plan }),
      (made) => {
        announce(`${made.merchant.name} was created. Its password is shown this once.`);
        onProjectsChanged();
        onMade(made);
      },
      event,
    );
  };
  return (
    <form class="form bare" onSubmit={send}>
      <label class="field">
        Name
        <input ref={name} required maxLength={nameCharactersMax} autocomplete="off" />
        <span class="soft">Buyers see it on the payment page.</span>
      </label>
      <label class="field">
        E-mail
        <input
          ref={email}
          type="email"
          required
          maxLength={emailCharactersMax}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <span class="soft">With it the merchant logs in to this dashboard.</span>
      </label>
      <PlanField plan={plan} onPlan={setPlan} />
      {failure !== null && (
        <FormFailure
          failure={failure}
          unclear="It may have been created all the same: look for it in the list before you press the button again."
        />
      )}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy}>
          {isBusy ? 'Creating it' : 'Create the merchant'}
          <Glyph name="arrow" />
        </button>
      </div>
    </form>
  );
}

function Made({ made, onAnother }: { readonly made: NewMerchant; readonly onAnother: () => void }) {
  const { to } = usePageContext();
  const { merchant, password } = made;
  return (
    <>
      <ShownOnce
        title="Give this login to the merchant now"
        facts={[
          ['E-mail', merchant.email],
          ['Password', password],
        ]}
      >
        The password is not shown again. If it gets lost, make a new one on the merchant’s page.
      </ShownOnce>
      <div class="buttons">
        <a class="button fit" href={to(merchantRoute.at({ id: merchant.id }))}>
          Open the merchant
          <Glyph name="arrow" />
        </a>
        <button class="button second fit" type="button" onClick={onAnother}>
          Create another one
        </button>
      </div>
    </>
  );
}
