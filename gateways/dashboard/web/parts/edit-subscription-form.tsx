/** Changes what a subscription prefers, how long it runs, and how the merchant names it. */
import { useScreenContext } from '../context.ts';
import { referenceCharactersMax, subscriptionChangeFrom } from '../wire/billing-forms.ts';
import { preferenceChoices } from '../words/billing-providers.ts';
import { RequestForm } from './request-form.tsx';
import { SelectField } from './select-field.tsx';
import type { ActionProps } from './subscription-forms.tsx';
import { TextField } from './text-field.tsx';

export function EditSubscriptionForm({ subscription, done, back }: ActionProps) {
  const { api, place } = useScreenContext();
  const { id, providerPreference, totalCycles, cyclesBilled, referenceId } = subscription;
  return (
    <RequestForm
      name="Edit the subscription"
      word="Save the changes"
      busyWord="Saving"
      read={(text) => subscriptionChangeFrom(text, cyclesBilled)}
      send={(change) => api.changeSubscription(place, id, change)}
      onDone={() => done('The subscription was changed.')}
      onBack={back}
    >
      {(errors) => (
        <>
          <SelectField
            label="Offered first on its invoices"
            name="providerPreference"
            choices={preferenceChoices('As the plan says')}
            defaultValue={providerPreference ?? ''}
            note="Customers can pay with every other provider, too."
            error={errors['providerPreference']}
          />
          <TextField
            label="Invoices in all"
            name="totalCycles"
            inputMode="numeric"
            maxLength={5}
            defaultValue={totalCycles === null ? '' : String(totalCycles)}
            note={`${cyclesBilled} so far. After the last one it is completed. Empty: without end.`}
            error={errors['totalCycles']}
          />
          <TextField
            label="Your reference"
            name="referenceId"
            maxLength={referenceCharactersMax}
            defaultValue={referenceId ?? ''}
            error={errors['referenceId']}
          />
        </>
      )}
    </RequestForm>
  );
}
