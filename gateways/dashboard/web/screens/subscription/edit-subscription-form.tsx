/** Changes what a subscription prefers, how long it runs, and how the merchant names it. */
import { referenceCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { subscriptionChangeFrom } from '../../wire/billing-forms.ts';
import { preferenceChoices } from '../../words/billing-providers.ts';
import { RequestForm } from '../../parts/request-form.tsx';
import type { ActionProps } from './subscription-forms.tsx';

export function EditSubscriptionForm({ subscription, done, back }: ActionProps) {
  const { api, place } = useScreenContext();
  const { id, providerPreference, totalCycles, cyclesBilled, referenceId } = subscription;
  return (
    <RequestForm
      name="Edit the subscription"
      word="Save the changes"
      busyWord="Saving"
      fields={[
        {
          name: 'providerPreference',
          label: 'Offered first on its invoices',
          options: preferenceChoices('As the plan says'),
          initial: providerPreference ?? '',
          note: 'Customers can pay with every other provider, too.',
        },
        {
          name: 'totalCycles',
          label: 'Invoices in all',
          inputMode: 'numeric',
          maxLength: 5,
          initial: totalCycles === null ? '' : String(totalCycles),
          note: `${cyclesBilled} so far. After the last one it is completed. Empty: without end.`,
        },
        {
          name: 'referenceId',
          label: 'Your reference',
          maxLength: referenceCharactersMax,
          initial: referenceId ?? '',
        },
      ]}
      read={(text) => subscriptionChangeFrom(text, cyclesBilled)}
      send={(change) => api.call('PATCH /v1/billing/subscriptions/{id}', place, { id, body: change })}
      onDone={() => done('The subscription was changed.')}
      onBack={back}
    />
  );
}
