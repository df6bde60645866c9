/** The form that creates a merchant; its password is shown this once. */
import { useState } from 'preact/hooks';
import { emailCharactersMax, nameCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { usePageContext } from '../../context.ts';
import { operatorFormScreen } from '../../form-screen.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { planFrom, planRadios } from '../../parts/plan-field.ts';
import { RequestForm } from '../../parts/request-form.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { merchantRoute, merchantsEntry, newMerchantRoute } from '../../places.ts';
import { good, readForm, requiredText } from '../../wire/form-reading.ts';
import type { NewMerchant } from '../../wire/types.ts';

export const newMerchant = operatorFormScreen({
  route: newMerchantRoute,
  title: 'New merchant',
  navigation: merchantsEntry,
  back: ['Merchants', merchantsEntry.link],
  form: () => {
    const [made, setMade] = useState<NewMerchant | null>(null);
    return made === null ? (
      <MerchantForm onMade={setMade} />
    ) : (
      <Made made={made} onAnother={() => setMade(null)} />
    );
  },
});

function MerchantForm({ onMade }: { readonly onMade: (made: NewMerchant) => void }) {
  const { api, announce, onProjectsChanged } = usePageContext();
  return (
    <RequestForm
      name="New merchant"
      word="Create the merchant"
      busyWord="Creating it"
      glyph="arrow"
      fields={[
        {
          name: 'name',
          label: 'Name',
          maxLength: nameCharactersMax,
          note: 'Buyers see it on the payment page.',
        },
        {
          name: 'email',
          label: 'E-mail',
          inputMode: 'email',
          maxLength: emailCharactersMax,
          autocapitalize: 'none',
          spellcheck: false,
          note: 'With it the merchant logs in to this dashboard.',
        },
        { name: 'plan', label: 'Plan', radios: planRadios, initial: 'free' },
      ]}
      read={(text) =>
        readForm(
          {
            name: requiredText(
              text('name'),
              nameCharactersMax,
              'Write a name: buyers must know whom they pay.',
            ),
            email: requiredText(text('email'), emailCharactersMax, 'Write an e-mail address.'),
            plan: good(planFrom(text)),
          },
          (values) => values,
        )
      }
      send={(request) => api.call('POST /admin/v1/merchants', null, { body: request })}
      onDone={(made) => {
        announce(`${made.merchant.name} was created. Its password is shown this once.`);
        onProjectsChanged();
        onMade(made);
      }}
      unclear="It may have been created all the same: look for it in the list before you press the button again."
    />
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
          ['Password', password ?? ''],
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
