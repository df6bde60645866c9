/** The operator's form of what a merchant may use: its plan, whether it is verified, and its limit. */
import { useState } from 'preact/hooks';
import { usePageContext } from '../context.ts';
import type { Merchant, MerchantChange } from '../wire/operator-api.ts';
import { FormFailure } from './notices.tsx';
import { PlanField } from './plan-field.tsx';
import { useSubmit } from './use-submit.ts';

const createPerSecondMax = 10_000;

export interface MerchantTermsProps {
  readonly merchant: Merchant;
  readonly onChanged: () => void;
}

export function MerchantTerms({ merchant, onChanged }: MerchantTermsProps) {
  const { api, announce } = usePageContext();
  const [plan, setPlan] = useState(merchant.plan);
  const [verified, setVerified] = useState(merchant.verified);
  const [typed, setTyped] = useState(limitText(merchant.createPerSecond));
  const { isBusy, failure, submit } = useSubmit();
  const createPerSecond = limitFrom(typed);
  const change: MerchantChange | null =
    createPerSecond === undefined ? null : { plan, verified, createPerSecond };
  const isSame =
    plan === merchant.plan && verified === merchant.verified && createPerSecond === merchant.createPerSecond;

  const saved = (): void => {
    announce('Saved.');
    onChanged();
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (change !== null) submit(() => api.changeMerchant(merchant.id, change), saved);
  };

  return (
    <section class="slip lone act" aria-labelledby="terms">
      <h2 id="terms">What it may use</h2>
      <form class="form bare" onSubmit={send} noValidate>
        <PlanField plan={plan} onPlan={setPlan} />
        {plan === 'free' && merchant.plan === 'premium' && (
          <p class="warned">
            Once saved, its requests for Direct-QR are answered 403. Codes already shown still work.
          </p>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={verified}
            onChange={({ currentTarget }) => setVerified(currentTarget.checked)}
          />
          <span>
            <b>Verified</b>
            <span class="soft">You have checked who it is.</span>
          </span>
        </label>
        <Limit typed={typed} isWrong={createPerSecond === undefined} onTyped={setTyped} />
        {failure !== null && <FormFailure failure={failure} />}
        <div class="buttons">
          <button class="button fit" type="submit" aria-busy={isBusy} disabled={change === null || isSame}>
            {isBusy ? 'Saving' : 'Save'}
          </button>
        </div>
      </form>
    </section>
  );
}

interface LimitProps {
  readonly typed: string;
  readonly isWrong: boolean;
  readonly onTyped: (text: string) => void;
}

const Limit = ({ typed, isWrong, onTyped }: LimitProps) => (
  <label class="field">
    Creations each second, in live
    <input
      inputMode="numeric"
      autocomplete="off"
      maxLength={8}
      placeholder="As everybody: 100"
      value={typed}
      aria-invalid={isWrong}
      aria-describedby="limit-note"
      onInput={({ currentTarget }) => onTyped(currentTarget.value)}
    />
    <span id="limit-note" class={isWrong ? 'wrong' : 'soft'}>
      {isWrong
        ? 'Write a whole number from 1 to 10,000, or nothing.'
        : 'Checkouts, codes and refunds together. Empty: as everybody.'}
    </span>
  </label>
);

const limitText = (limit: number | null): string => (limit === null ? '' : String(limit));

/** null: as everybody; undefined: not a limit. */
function limitFrom(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === '') return null;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= createPerSecondMax ? limit : undefined;
}
