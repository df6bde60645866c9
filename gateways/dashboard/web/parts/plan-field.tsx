/** The choice of a merchant's plan. */
import type { Plan } from '../wire/operator-api.ts';

export interface PlanFieldProps {
  readonly plan: Plan;
  readonly onPlan: (plan: Plan) => void;
}

const plans = [
  ['free', 'Free', 'Everything but Direct-QR.'],
  ['premium', 'Premium', 'Direct-QR, too: codes for the counter, by the API.'],
] as const;

export const PlanField = ({ plan, onPlan }: PlanFieldProps) => (
  <fieldset>
    <legend>Plan</legend>
    {plans.map(([each, word, note]) => (
      <label key={each} class="check">
        <input type="radio" name="plan" checked={plan === each} onChange={() => onPlan(each)} />
        <span>
          <b>{word}</b>
          <span class="soft">{note}</span>
        </span>
      </label>
    ))}
  </fieldset>
);
