/** One merchant, for the operator: what it is, whether it may trade, what it may use, and its login. */
import { operatorDetailScreen, type DetailProps } from '../../detail-screen.tsx';
import { merchantRoute, merchantsEntry, paymentsEntry } from '../../places.ts';
import { usePageContext } from '../../context.ts';
import { Id } from '../../parts/copy.tsx';
import { FactList, Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { MerchantLogin } from './merchant-login.tsx';
import { MerchantTerms } from './merchant-terms.tsx';
import { SuspensionCard } from './suspension-card.tsx';
import { When } from '../../parts/when.tsx';
import { addressOf } from '../../route.ts';
import type { Merchant, Mode } from '../../wire/types.ts';
import { merchantStates, planWord, verifiedWords } from '../../words/words.ts';

export const merchant = operatorDetailScreen<Merchant>({
  route: merchantRoute,
  navigation: merchantsEntry,
  kind: 'Merchant',
  idWord: 'merchant id',
  back: ['Merchants', merchantsEntry.link],
  load: ({ api }, { id }) => ({
    key: `merchant ${id}`,
    ask: () => api.call('GET /admin/v1/merchants/{id}', null, { id }),
  }),
  name: ({ name }) => name,
  view: Whole,
});

function Whole({ known: merchant, again }: DetailProps<Merchant>) {
  return (
    <div class="columns even">
      <div class="side">
        <Facts merchant={merchant} />
        <SuspensionCard merchant={merchant} onChanged={again} />
      </div>
      <div class="side">
        {/* a change of somebody else begins the form anew */}
        <MerchantTerms key={merchant.updatedAt} merchant={merchant} onChanged={again} />
        <MerchantLogin merchant={merchant} />
      </div>
    </div>
  );
}

const modes: readonly (readonly [Mode, string])[] = [
  ['sandbox', 'Open its sandbox'],
  ['live', 'Open its live payments'],
];

function Facts({ merchant }: { readonly merchant: Merchant }) {
  const { now } = usePageContext();
  const { email, plan, suspended, verified, projectId, createdAt, updatedAt } = merchant;
  return (
    <section class="slip lone act" aria-labelledby="who">
      <h2 id="who">Who it is</h2>
      <FactList
        of={[
          [
            'State',
            <span class="tags">
              <Tag words={suspended ? merchantStates.suspended : merchantStates.active} />
              {verified && <Tag words={verifiedWords} />}
            </span>,
          ],
          ['E-mail', <UserText text={email} />],
          ['Plan', planWord(plan)],
          ['Project', <Id id={projectId} what="project id" />],
          ['Created', <When at={createdAt} now={now} />],
          updatedAt !== createdAt && ['Last change', <When at={updatedAt} now={now} />],
        ]}
      />
      <div class="buttons">
        {modes.map(([mode, word]) => (
          <a key={mode} class="step" href={addressOf({ projectId, mode }, paymentsEntry.link)}>
            {word}
            <Glyph name="arrow" />
          </a>
        ))}
      </div>
    </section>
  );
}
