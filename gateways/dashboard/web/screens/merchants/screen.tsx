/** The operator's list of merchants. */
import { emailCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { usePageContext } from '../../context.ts';
import { operatorListScreen } from '../../list-screen.tsx';
import { queryOf } from '../../lists/filters.ts';
import type { RowProps } from '../../parts/list-section.tsx';
import { UserText, Tag } from '../../parts/marks.tsx';
import { When } from '../../parts/when.tsx';
import { merchantRoute, merchantsEntry, merchantsRoute, newMerchantRoute } from '../../places.ts';
import type { Merchant, MerchantPlan } from '../../wire/types.ts';
import { choicesOf, merchantStates, planNames, planWord, verifiedWords } from '../../words/words.ts';

export const merchants = operatorListScreen({
  route: merchantsRoute,
  title: 'Merchants',
  navigation: merchantsEntry,
  from: 'GET /admin/v1/merchants',
  query: ({ state, ...filters }) =>
    queryOf({ ...filters, suspended: state === '' ? '' : String(state === 'suspended') }),
  what: ['merchant', 'merchants'],
  action: ['New merchant', newMerchantRoute.at({})],
  lead: 'Everyone who takes payments with this service.',
  controls: {
    chips: {
      name: 'State',
      of: 'state',
      choices: [['', 'All'], ...choicesOf(merchantStates)],
    },
    selects: [
      {
        name: 'Plan',
        of: 'plan',
        choices: [['', 'All plans'], ...(Object.entries(planNames) as [MerchantPlan, string][])],
      },
    ],
    find: {
      words: {
        label: 'Find by the whole e-mail address, or by id',
        placeholder: 'E-mail or id',
        title: 'The whole e-mail address, or a merchant’s id',
        inputMode: 'email',
        autocapitalize: 'none',
        spellcheck: false,
        maxLength: emailCharactersMax,
      },
      shows: ({ email }) => email,
      // a merchant's id opens its page; anything else is looked for as an e-mail
      means: (typed) => (/^mer_[0-9a-z]+$/.test(typed) ? merchantRoute.at({ id: typed }) : { email: typed }),
    },
    canClear: true,
  },
  rows: { columns: 'merchants', row: MerchantRow },
  empty: {
    sign: 'person',
    title: 'No merchant yet',
    text: 'A merchant is who takes payments: it gets a project, and a login for this dashboard.',
    next: ['Create the first one', newMerchantRoute.at({})],
  },
  noMatch: ({ email }) => ({
    title: 'No merchant is like that',
    text: email === '' ? undefined : 'An e-mail is found when it is typed whole.',
  }),
});

function MerchantRow({ row: merchant }: RowProps<Merchant>) {
  const { now, to } = usePageContext();
  const { id, name, email, plan, suspended, verified, createdAt } = merchant;
  return (
    <li class="row">
      <Tag words={suspended ? merchantStates.suspended : merchantStates.active} />
      <div class="words">
        <a class="whole" href={to(merchantRoute.at({ id }))}>
          <UserText text={name} />
        </a>
        <span class="soft">
          <UserText text={email} />
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
