/** The form of a plan: to create one, and to change what can be changed. It shows what becomes of an invoice that
 *  is not paid. */
import { useState } from 'preact/hooks';
import { overdueActions } from '../../../../actors/subscription/invoice-dates.ts';
import { descriptionCharactersMax, nameCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../context.ts';
import { intervalUnits, overdueActionFrom, planChangeFrom, planRequestFrom } from '../wire/billing-forms.ts';
import type { IntervalUnit, Plan } from '../wire/billing-types.ts';
import type { FieldErrors, TextOf } from '../wire/form-reading.ts';
import { overdueWords } from '../words/billing.ts';
import { preferenceChoices } from '../words/billing-providers.ts';
import { planTermsText } from '../words/plan-terms.ts';
import { Effects } from './effects.tsx';
import { RequestForm } from './request-form.tsx';
import { SelectField } from './select-field.tsx';
import { TextField } from './text-field.tsx';

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
      send={(request, key) => api.newPlan(place, request, key)}
      onDone={(plan) => {
        announce(`${plan.name}: the plan was created.`);
        onDone(plan);
      }}
      onTyped={(text) => setTerms(typedTerms(text))}
    >
      {(errors) => (
        <>
          <NameField errors={errors} />
          <PriceFields errors={errors} />
          <TextField
            label="Trial days"
            name="trialDays"
            inputMode="numeric"
            maxLength={4}
            defaultValue="0"
            note="Free, before the first invoice is due. 0: none."
            error={errors['trialDays']}
          />
          <DescriptionField />
          <ProviderField />
          <TermsFields terms={terms} errors={errors} />
        </>
      )}
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
      send={(change) => api.changePlan(place, plan.id, change)}
      onDone={() => {
        announce('The plan was changed.');
        onDone();
      }}
      onBack={onBack}
      onTyped={(text) => setTerms(typedTerms(text))}
    >
      {(errors) => (
        <>
          <p class="soft">
            Amount, interval and trial never change: customers agreed to them. For another price create
            another plan, and change the subscriptions to it.
          </p>
          <NameField errors={errors} plan={plan} />
          <DescriptionField plan={plan} />
          <ProviderField plan={plan} />
          <TermsFields terms={terms} errors={errors} />
          <p class="soft">Invoices that are open keep the terms they have opened with.</p>
        </>
      )}
    </RequestForm>
  );
}

interface FieldsProps {
  readonly errors: FieldErrors;
  /** Absent: a new one. */
  readonly plan?: Plan;
}

const NameField = ({ errors, plan }: FieldsProps) => (
  <TextField
    label="Name"
    name="name"
    maxLength={nameCharactersMax}
    defaultValue={plan?.name ?? ''}
    note="Customers see it on their invoices."
    error={errors['name']}
  />
);

const DescriptionField = ({ plan }: Pick<FieldsProps, 'plan'>) => (
  <label class="field">
    Description
    <textarea
      name="description"
      rows={2}
      maxLength={descriptionCharactersMax}
      defaultValue={plan?.description ?? ''}
    />
  </label>
);

const ProviderField = ({ plan }: Pick<FieldsProps, 'plan'>) => (
  <SelectField
    label="Offered first on its invoices"
    name="defaultProvider"
    choices={preferenceChoices('None')}
    defaultValue={plan?.defaultProvider ?? ''}
    note="Customers can pay with every other provider, too."
  />
);

const unitWords: Readonly<Record<IntervalUnit, string>> = {
  day: 'days',
  week: 'weeks',
  month: 'months',
  quarter: 'quarters',
  year: 'years',
};

const PriceFields = ({ errors }: FieldsProps) => (
  <>
    <TextField
      label="Amount in rupees"
      name="amount"
      inputMode="decimal"
      maxLength={20}
      note="For each period. It cannot be changed later."
      error={errors['amount']}
    />
    <div class="pair">
      <TextField
        label="Billed every"
        name="intervalCount"
        inputMode="numeric"
        maxLength={3}
        defaultValue="1"
        error={errors['intervalCount']}
      />
      <SelectField
        label="Unit"
        name="intervalUnit"
        choices={intervalUnits.map((unit) => [unit, unitWords[unit]] as const)}
        defaultValue="month"
      />
    </div>
  </>
);

interface TermsFieldsProps {
  readonly terms: Terms;
  readonly errors: FieldErrors;
}

function TermsFields({ terms, errors }: TermsFieldsProps) {
  const days = (name: Exclude<keyof Terms, 'overdueAction'>, label: string, note: string) => (
    <TextField
      label={label}
      name={name}
      inputMode="numeric"
      maxLength={3}
      defaultValue={terms[name]}
      note={note}
      error={errors[name]}
    />
  );
  return (
    <>
      <h3>When an invoice is not paid</h3>
      <div class="pair">
        {days('reminderDaysBeforeDue', 'Opens, days before it is due', 'The customer is mailed then.')}
        {days(
          'overdueReminderIntervalDays',
          'Reminder every, days',
          'After the due day, for 60 days. 0: none.',
        )}
      </div>
      {days('gracePeriodDays', 'Days of grace after the due day', 'Then the invoice is past due.')}
      <fieldset class="stacked">
        <legend>What becomes of the subscription then</legend>
        {overdueActions.map((action) => (
          <label key={action} class="check">
            <input
              type="radio"
              name="overdueAction"
              value={action}
              checked={terms.overdueAction === action}
            />
            <span>
              <b>{overdueWords[action].name}</b>
              <span class="soft">{overdueWords[action].text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <TermsShown terms={terms} />
    </>
  );
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
