/** The operator's form of what a merchant may use: its plan, whether it is verified, and its limit. */
import { useState } from 'preact/hooks';
import { usePageContext } from '../../context.ts';
import { good, readForm, wholeOrNothing, type ReadForm, type TextOf } from '../../wire/form-reading.ts';
import type { Merchant, MerchantChange } from '../../wire/types.ts';
import { planFrom, planRadios } from '../../parts/plan-field.ts';
import { RequestForm } from '../../parts/request-form.tsx';

const createPerSecondMax = 10_000;

export interface MerchantTermsProps {
  readonly merchant: Merchant;
  readonly onChanged: () => void;
}

export function MerchantTerms({ merchant, onChanged }: MerchantTermsProps) {
  const { api, announce } = usePageContext();
  const [plan, setPlan] = useState(merchant.plan);
  const { verified, createPerSecond } = merchant;
  const warning = (
    <p class="warned">
      Once saved, its requests for Direct-QR are answered 403. Codes already shown still work.
    </p>
  );
  return (
    <section class="slip lone act" aria-labelledby="terms">
      <h2 id="terms">What it may use</h2>
      <RequestForm
        name="What it may use"
        word="Save"
        busyWord="Saving"
        fields={[
          { name: 'plan', label: 'Plan', radios: planRadios, initial: merchant.plan },
          () => plan === 'free' && merchant.plan === 'premium' && warning,
          {
            name: 'verified',
            label: 'Verified',
            box: true,
            initial: verified ? 'on' : '',
            note: 'You have checked who it is.',
          },
          {
            name: 'createPerSecond',
            label: 'Creations each second, in live',
            inputMode: 'numeric',
            maxLength: 8,
            placeholder: 'As everybody: 100',
            initial: createPerSecond === null ? '' : String(createPerSecond),
            note: 'Checkouts, codes and refunds together. Empty: as everybody.',
          },
        ]}
        read={changeFrom}
        live={{
          isSame: (change) =>
            change.plan === merchant.plan &&
            change.verified === verified &&
            change.createPerSecond === createPerSecond,
        }}
        send={(change) => api.call('PATCH /admin/v1/merchants/{id}', null, { id: merchant.id, body: change })}
        onDone={() => {
          announce('Saved.');
          onChanged();
        }}
        onTyped={(text) => setPlan(planFrom(text))}
      />
    </section>
  );
}

const changeFrom = (text: TextOf): ReadForm<MerchantChange> =>
  readForm(
    {
      plan: good(planFrom(text)),
      verified: good(text('verified') === 'on'),
      createPerSecond: wholeOrNothing(text('createPerSecond'), 1, createPerSecondMax),
    },
    (values) => values,
  );
