/** The form of a plan: to create one, and to change what can be changed. It shows what becomes of an invoice that
 *  is not paid. */
import { useState } from 'preact/hooks';
import { overdueActions } from '../../../../actors/subscription/invoice-dates.ts';
import { descriptionCharactersMax, nameCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import { intervalUnits, overdueActionFrom, planChangeFrom, planRequestFrom } from '../wire/billing-forms.ts';
import type { IntervalUnit, Plan } from '../wire/billing-types.ts';
import type { TextOf } from '../wire/form-reading.ts';
import { overdueWords } from '../words/billing.ts';
import { preferenceChoices } from '../words/billing-providers.ts';
import { planTermsText } from '../words/plan-terms.ts';
import { Effects } from './effects.tsx';
import type { Field, Fields } from './form-fields.tsx';
import { RequestForm } from './request-form.tsx';

/** What most merchants want; the API's own defaults send no reminders at all. */
const usual = {
  gracePeriodDays: '3',
  reminderDaysBeforeDue: '3',
  overdueReminderIntervalDays: '7',
  overdueAction: 'mark_past_due',
} as const;

type Terms = Readonly<Record<keyof typeof usual, string>>;

const termsOf = (plan: Plan): Terms => ({
  gracePeriodDays: String(plan.gracePeriodDays),
  reminderDaysBeforeDue: String(plan.dunningSettings.reminderDaysBeforeDue),
  overdueReminderIntervalDays: String(plan.dunningSettings.overdueReminderIntervalDays),
  overdueAction: plan.dunningSettings.overdueAction,
});

const typedTerms = (text: TextOf): Terms => ({
  gracePeriodDays: text('gracePeriodDays'),
  reminderDaysBeforeDue: text('reminderDaysBeforeDue'),
  overdueReminderIntervalDays: text('overdueReminderIntervalDays'),
  overdueAction: text('overdueAction'),
});

export function NewPlanForm({ onDone }: { readonly onDone: (plan: Plan) => void }) {
  const { api, place, announce } = useScreenContext();
  const [terms, setTerms] = useState<Terms>(usual);
  return (
    <RequestForm
      name="New plan"
      word="Create the plan"
      busyWord="Creating it"
      read={planRequestFrom}
      send={(request, key) => api.call('POST /v1/billing/plans', place, { body: request, key })}
      onDone={(plan) => {
        announce(`${plan.name}: the plan was created.`);
        onDone(plan);
      }}
      onTyped={(text) => setTerms(typedTerms(text))}
      fields={[
        nameField(),
        ...priceFields,
        {
          name: 'trialDays',
          label: 'Trial days',
          inputMode: 'numeric',
          maxLength: 4,
          initial: '0',
          note: 'Free, before the first invoice is due. 0: none.',
        },
        descriptionField(),
        providerField(),
        ...termsFields(usual),
      ]}
    >
      <TermsShown terms={terms} />
    </RequestForm>
  );
}

export interface EditPlanFormProps {
  readonly plan: Plan;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

export function EditPlanForm({ plan, onDone, onBack }: EditPlanFormProps) {
  const { api, place, announce } = useScreenContext();
  const [terms, setTerms] = useState(() => termsOf(plan));
  return (
    <RequestForm
      name="Edit the plan"
      word="Save the changes"
      busyWord="Saving"
      read={planChangeFrom}
      send={(change) => api.call('PATCH /v1/billing/plans/{id}', place, { id: plan.id, body: change })}
      onDone={() => {
        announce('The plan was changed.');
        onDone();
      }}
      onBack={onBack}
      onTyped={(text) => setTerms(typedTerms(text))}
      fields={[
        () => (
          <p class="soft">
            Amount, interval and trial never change: customers agreed to them. For another price create
            another plan, and change the subscriptions to it.
          </p>
        ),
        nameField(plan),
        descriptionField(plan),
        providerField(plan),
        ...termsFields(termsOf(plan)),
      ]}
    >
      <TermsShown terms={terms} />
      <p class="soft">Invoices that are open keep the terms they have opened with.</p>
    </RequestForm>
  );
}

/** Absent: a new one. */
const nameField = (plan?: Plan): Field => ({
  name: 'name',
  label: 'Name',
  maxLength: nameCharactersMax,
  initial: plan?.name,
  note: 'Customers see it on their invoices.',
});

const descriptionField = (plan?: Plan): Field => ({
  name: 'description',
  label: 'Description',
  rows: 2,
  maxLength: descriptionCharactersMax,
  initial: plan?.description ?? '',
});

const providerField = (plan?: Plan): Field => ({
  name: 'defaultProvider',
  label: 'Offered first on its invoices',
  options: preferenceChoices('None'),
  initial: plan?.defaultProvider ?? '',
  note: 'Customers can pay with every other provider, too.',
});

const unitWords: Readonly<Record<IntervalUnit, string>> = {
  day: 'days',
  week: 'weeks',
  month: 'months',
  quarter: 'quarters',
  year: 'years',
};

const priceFields: Fields = [
  {
    name: 'amount',
    label: 'Amount in rupees',
    inputMode: 'decimal',
    maxLength: 20,
    note: 'For each period. It cannot be changed later.',
  },
  [
    { name: 'intervalCount', label: 'Billed every', inputMode: 'numeric', maxLength: 3, initial: '1' },
    {
      name: 'intervalUnit',
      label: 'Unit',
      options: intervalUnits.map((unit) => [unit, unitWords[unit]] as const),
      initial: 'month',
    },
  ],
];

/** `terms`: as they are before. */
function termsFields(terms: Terms): Fields {
  const days = (name: Exclude<keyof Terms, 'overdueAction'>, label: string, note: string): Field => ({
    name,
    label,
    inputMode: 'numeric',
    maxLength: 3,
    initial: terms[name],
    note,
  });
  return [
    () => <h3>When an invoice is not paid</h3>,
    [
      days('reminderDaysBeforeDue', 'Opens, days before it is due', 'The customer is mailed then.'),
      days('overdueReminderIntervalDays', 'Reminder every, days', 'After the due day, for 60 days. 0: none.'),
    ],
    days('gracePeriodDays', 'Days of grace after the due day', 'Then the invoice is past due.'),
    {
      name: 'overdueAction',
      label: 'What becomes of the subscription then',
      radios: overdueActions.map((action) => [action, overdueWords[action].name, overdueWords[action].text]),
      initial: terms.overdueAction,
      isStacked: true,
    },
  ];
}

/** As numbers; null while one of them is none. */
function TermsShown({ terms }: { readonly terms: Terms }) {
  const number = (text: string): number => (/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
  const read = {
    gracePeriodDays: number(terms.gracePeriodDays),
    reminderDaysBeforeDue: number(terms.reminderDaysBeforeDue),
    overdueReminderIntervalDays: number(terms.overdueReminderIntervalDays),
    overdueAction: overdueActionFrom(terms.overdueAction),
  };
  if (Object.values(read).some(Number.isNaN)) return null;
  return <Effects title="An invoice that nobody pays" effects={planTermsText(read)} />;
}
