/** The operator's list of merchants. */
import { useEffect, useRef } from 'preact/hooks';
import type { Asked } from '../../asked.ts';
import { usePageContext } from '../../context.ts';
import { Chips } from '../../parts/chips.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Glyph, Said, Tag } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { When } from '../../parts/when.tsx';
import { operatorScreen, type Viewed } from '../../screen.tsx';
import type { Merchant } from '../../wire/operator-api.ts';
import type { Listed } from '../../wire/types.ts';
import { merchantStates, planWord, verifiedWords } from '../../words/words.ts';
import { merchantRoute } from '../merchant/route.ts';
import { newMerchantRoute } from '../new-merchant/route.ts';
import { emailMax, merchantsEntry, merchantsQuery, merchantsRoute, type MerchantFilters } from './route.ts';

export const merchants = operatorScreen({
  route: merchantsRoute,
  title: 'Merchants',
  navigation: merchantsEntry,
  load: ({ api }, { filters }) => {
    const query = merchantsQuery(filters);
    return { key: `merchants ${query}`, ask: () => api.merchants(query) };
  },
  view: Merchants,
});

interface ListProps {
  readonly filters: MerchantFilters;
  readonly asked: Asked<Listed<Merchant>>;
}

function Merchants({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: MerchantFilters }, Listed<Merchant>>) {
  const { to } = usePageContext();
  return (
    <main class="page" id="main">
      <div class="heading">
        <h1 tabIndex={-1}>Merchants</h1>
        <a class="button fit begin" href={to(newMerchantRoute.at({}))}>
          <Glyph name="plus" />
          New merchant
        </a>
      </div>
      <p class="lead soft">Everyone who takes payments with this service.</p>
      <section class="slip lone list" aria-label="List of merchants">
        <MerchantFilterBar filters={filters} />
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

const states = [
  ['', 'All'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
] as const satisfies readonly (readonly [MerchantFilters['state'], string])[];

const plans = [
  ['', 'All plans'],
  ['free', 'Free'],
  ['premium', 'Premium'],
] as const satisfies readonly (readonly [MerchantFilters['plan'], string])[];

const isFiltered = ({ state, plan, email }: MerchantFilters): boolean => `${state}${plan}${email}` !== '';

function MerchantFilterBar({ filters }: { readonly filters: MerchantFilters }) {
  const { to, go } = usePageContext();
  const addressWith = (changed: Partial<MerchantFilters>): string =>
    to(merchantsRoute.at({ filters: { ...filters, page: 1, ...changed } }));
  return (
    <div class="filters">
      <Chips
        name="State"
        value={filters.state}
        choices={states}
        addressOf={(state) => addressWith({ state })}
      />
      <div class="choices">
        <Choice
          name="Plan"
          value={filters.plan}
          choices={plans}
          onChoice={(plan) => go(addressWith({ plan }))}
        />
        <Finder email={filters.email} onFind={(email) => go(addressWith({ email }))} />
        {isFiltered(filters) && (
          <a class="link" href={to(merchantsEntry.link)}>
            Clear
          </a>
        )}
      </div>
    </div>
  );
}

interface FinderProps {
  readonly email: string;
  readonly onFind: (email: string) => void;
}

/** A merchant's id opens its page; anything else is looked for as an e-mail. */
function Finder({ email, onFind }: FinderProps) {
  const { to, go } = usePageContext();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current !== null) field.current.value = email;
  }, [email]);
  const found = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (/^mer_[0-9a-z]+$/.test(text)) go(to(merchantRoute.at({ id: text })));
    else onFind(text);
  };
  return (
    <form class="find" role="search" onSubmit={found}>
      <Glyph name="search" />
      <label class="unseen" for="find">
        Find by the whole e-mail address, or by id
      </label>
      <input
        id="find"
        ref={field}
        type="search"
        inputMode="email"
        placeholder="E-mail or id"
        title="The whole e-mail address, or a merchant’s id"
        autocapitalize="none"
        spellcheck={false}
        maxLength={emailMax}
      />
      <button class="step" type="submit">
        Find
      </button>
    </form>
  );
}

function List({ filters, asked }: ListProps) {
  const { to } = usePageContext();
  return (
    <PagedList
      asked={asked}
      what={['merchant', 'merchants']}
      page={filters.page}
      addressOf={(page) => to(merchantsRoute.at({ filters: { ...filters, page } }))}
      shown={({ data }) => ({ rows: data })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="merchants">
          {rows.map((merchant) => (
            <MerchantRow key={merchant.id} merchant={merchant} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function MerchantRow({ merchant }: { readonly merchant: Merchant }) {
  const { now, to } = usePageContext();
  const { id, name, email, plan, suspended, verified, createdAt } = merchant;
  return (
    <li class="row">
      <Tag words={suspended ? merchantStates.suspended : merchantStates.active} />
      <div class="words">
        <a class="whole" href={to(merchantRoute.at({ id }))}>
          <Said text={name} />
        </a>
        <span class="soft">
          <Said text={email} />
        </span>
      </div>
      <span class="terms">
        {planWord(plan)}
        {verified && <Tag words={verifiedWords} />}
      </span>
      <span class="soft end">
        <When at={createdAt} now={now} />
      </span>
    </li>
  );
}

function Nothing({ filters }: { readonly filters: MerchantFilters }) {
  const { to } = usePageContext();
  if (filters.page > 1 || isFiltered(filters)) {
    return (
      <NoMatch
        title="No merchant is like that"
        answerTo={filters}
        many="merchants"
        all={to(merchantsEntry.link)}
      >
        {filters.email !== '' && <p class="soft">An e-mail is found when it is typed whole.</p>}
      </NoMatch>
    );
  }
  return (
    <Empty sign="person" title="No merchant yet">
      <p class="soft">A merchant is who takes payments: it gets a project, and a login for this dashboard.</p>
      <a class="button" href={to(newMerchantRoute.at({}))}>
        Create the first one
        <Glyph name="arrow" />
      </a>
    </Empty>
  );
}
