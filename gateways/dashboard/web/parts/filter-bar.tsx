/** The filters of the payments. Every choice is an address: it can be shared, and back undoes it. */
import { useEffect, useRef } from 'preact/hooks';
import { searchCharactersMax } from '../../../../src/kernel/search-words.ts';
import { useScreenContext } from '../context.ts';
import { apiQuery, isFiltered, paymentNamedBy, type Filters, type Period } from '../lists/filters.ts';
import { paymentRoute } from '../screens/payment/route.ts';
import { paymentsEntry, paymentsRoute } from '../screens/payments/route.ts';
import { providerIds } from '../words/providers.ts';
import { providerWord } from '../words/words.ts';
import { Chips } from './chips.tsx';
import { Choice } from './choice.tsx';
import { CsvButton } from './csv-button.tsx';
import { Glyph } from './marks.tsx';

const states: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['success', 'Paid'],
  ['processing', 'Processing'],
  ['pending', 'Pending'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
  ['refunded', 'Refunded'],
  ['review', 'Needs review'],
];

const periods: readonly (readonly [Period | '', string])[] = [
  ['', 'All days'],
  ['today', 'Begun today'],
  ['yesterday', 'Begun yesterday'],
  ['week', 'Begun in the last 7 days'],
  ['paid_today', 'Paid today'],
  ['paid_yesterday', 'Paid yesterday'],
  ['paid_week', 'Paid in the last 7 days'],
];

/** Includes the value in the address, whatever it is: an active filter is always visible. */
const providerChoices = (named: string): readonly (readonly [string, string])[] => [
  ['', 'All providers'],
  ...[...new Set(named === '' ? providerIds : [...providerIds, named])].map(
    (id) => [id, providerWord(id)] as const,
  ),
];

export function FilterBar({ filters }: { readonly filters: Filters }) {
  const { to, go, now } = useScreenContext();
  const addressWith = (changed: Partial<Filters>): string =>
    to(paymentsRoute.at({ filters: { ...filters, page: 1, ...changed } }));
  return (
    <div class="filters">
      <div class="filter-line">
        <Chips
          name="State"
          value={filters.status}
          choices={states}
          addressOf={(status) => addressWith({ status })}
        />
        <CsvButton list="payments" query={apiQuery(filters, now)} />
      </div>
      <div class="choices">
        <Choice
          name="Provider"
          value={filters.provider}
          choices={providerChoices(filters.provider)}
          onChoice={(provider) => go(addressWith({ provider }))}
        />
        <Choice
          name="Days"
          value={filters.period}
          choices={periods}
          onChoice={(period) => go(addressWith({ period }))}
        />
        <Finder filters={filters} addressWith={addressWith} />
        {isFiltered(filters) && (
          <a class="link" href={to(paymentsEntry.link)}>
            Clear
          </a>
        )}
      </div>
    </div>
  );
}

interface FinderProps {
  readonly filters: Filters;
  readonly addressWith: (changed: Partial<Filters>) => string;
}

/** A payment id opens its page; any other text is searched. */
function Finder({ filters, addressWith }: FinderProps) {
  const { to, go } = useScreenContext();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = filters.find;
  }, [filters.find]);
  const found = (event: SubmitEvent): void => {
    event.preventDefault();
    const find = field.current?.value.trim() ?? '';
    const id = paymentNamedBy(find);
    // on a phone its keyboard would cover the results
    if (matchMedia('(pointer: coarse)').matches) field.current?.blur();
    go(id === null ? addressWith({ find }) : to(paymentRoute.at({ id })));
  };
  return (
    <form class="find" role="search" onSubmit={found}>
      <Glyph name="search" />
      <label class="unseen" for="find">
        Find by name, e-mail, phone, description, order number, reference or id
      </label>
      <input
        id="find"
        ref={field}
        type="search"
        placeholder="Name, e-mail, phone, order number ..."
        title="Words of the name or description, an e-mail, a phone, a provider reference, an order number or an id"
        maxLength={searchCharactersMax}
      />
      <button class="step" type="submit">
        Find
      </button>
    </form>
  );
}
