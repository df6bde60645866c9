/** The operator's list of merchants: `merchants?state=suspended&plan=premium&email=asha@example.com`. */
import { pageFrom, rowsPerPage } from '../../lists/filters.ts';
import { listRoute, ofOperator, type Entry } from '../../route.ts';
import type { Plan } from '../../wire/operator-api.ts';

/** Empty texts do not filter. */
export interface MerchantFilters {
  readonly state: 'active' | 'suspended' | '';
  readonly plan: Plan | '';
  readonly email: string;
  readonly page: number;
}

export const allMerchants: MerchantFilters = { state: '', plan: '', email: '', page: 1 };

export const emailMax = 254;

const oneOf = <Value extends string>(values: readonly Value[], text: string | null): Value | '' =>
  values.find((value) => value === text) ?? '';

export const merchantsRoute = ofOperator(
  listRoute('merchants', {
    read: (query): MerchantFilters => ({
      state: oneOf(['active', 'suspended'], query.get('state')),
      plan: oneOf(['free', 'premium'], query.get('plan')),
      email: (query.get('email') ?? '').trim().slice(0, emailMax),
      page: pageFrom(query),
    }),
    write: ({ state, plan, email, page }) => {
      const query = new URLSearchParams();
      for (const [name, text] of Object.entries({ state, plan, email }))
        if (text !== '') query.set(name, text);
      if (page > 1) query.set('page', String(page));
      return query.toString();
    },
  }),
);

/** For the API. */
export function merchantsQuery({ state, plan, email, page }: MerchantFilters): URLSearchParams {
  const query = new URLSearchParams({ page: String(page), limit: String(rowsPerPage) });
  if (state !== '') query.set('suspended', String(state === 'suspended'));
  if (plan !== '') query.set('plan', plan);
  if (email !== '') query.set('email', email);
  return query;
}

export const merchantsEntry: Entry = {
  word: 'Merchants',
  group: 'operator',
  link: merchantsRoute.at({ filters: allMerchants }),
};
