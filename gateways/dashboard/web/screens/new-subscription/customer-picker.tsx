/** Finds a customer for a form: a search, and the ones found as choices. */
import { useEffect, useState } from 'preact/hooks';
import { newCustomerRoute } from '../../places.ts';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import type { Customer } from '../../wire/billing-types.ts';
import { Glyph, UserText } from '../../parts/marks.tsx';
import { Failed } from '../../parts/notices.tsx';
import './customer-picker.css';

const shownMax = 6;
const typingMs = 250;

export interface CustomerPickerProps {
  readonly chosen: Customer | null;
  readonly onChosen: (customer: Customer | null) => void;
  readonly error?: string | undefined;
}

export const CustomerPicker = ({ chosen, onChosen, error }: CustomerPickerProps) => (
  <div class="picker">
    <span class="picker-name" id="customer-name">
      Customer
    </span>
    {chosen === null ? (
      <Search onChosen={onChosen} error={error} />
    ) : (
      <p class="picked">
        <input type="hidden" name="customerId" value={chosen.id} />
        <span>
          <b>
            <UserText text={chosen.name} />
          </b>
          <span class="soft">
            <UserText text={chosen.email ?? chosen.phone ?? 'No e-mail: nobody is mailed'} />
          </span>
        </span>
        <button type="button" class="step" onClick={() => onChosen(null)}>
          Another one
        </button>
      </p>
    )}
  </div>
);

function Search({ onChosen, error }: Omit<CustomerPickerProps, 'chosen'>) {
  const { api, place, to } = useScreenContext();
  const [typed, setTyped] = useState('');
  const search = useSettled(typed.trim());
  const query = new URLSearchParams({ limit: String(shownMax) });
  if (search !== '') query.set('search', search);
  const asked = useAsked(`customers to choose ${query}`, () =>
    api.call('GET /v1/billing/customers', place, { query }),
  );
  const { value, failure, again } = asked;
  return (
    <>
      <input
        type="search"
        class="picker-search"
        aria-labelledby="customer-name"
        aria-invalid={error !== undefined}
        aria-describedby="customer-note"
        placeholder="Name, e-mail, phone or your id"
        maxLength={100}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        // in a form it would send the form
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {error !== undefined && (
        <span id="customer-note" class="wrong">
          {error}
        </span>
      )}
      {failure !== null && <Failed failure={failure} again={again} />}
      {value === null && failure === null && <div class="picker-found" aria-hidden="true" />}
      {value !== null && (
        <ul class="picker-found" aria-label="Customers found">
          {value.data.map((customer) => (
            <li key={customer.id}>
              <button type="button" onClick={() => onChosen(customer)}>
                <b>
                  <UserText text={customer.name} />
                </b>
                <span class="soft">
                  <UserText text={[customer.email, customer.phone].find((each) => each !== null) ?? ''} />
                </span>
              </button>
            </li>
          ))}
          <li class="soft">
            {value.data.length === 0 &&
              (search === '' ? 'There is no customer yet. ' : 'Nobody is like that. ')}
            {value.total > value.data.length && `${value.total - value.data.length} more: type to find one. `}
            <a href={to(newCustomerRoute.at({}))}>
              <Glyph name="plus" />
              New customer
            </a>
          </li>
        </ul>
      )}
    </>
  );
}

/** What was typed, once no key was pressed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), typingMs);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}
