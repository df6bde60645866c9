/** One merchant, for the operator: what it is, whether it may trade, what it may use, and its login. */
import type { Asked } from '../../asked.ts';
import { merchantRoute, merchantsEntry, paymentsEntry } from '../../places.ts';
import { usePageContext } from '../../context.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/copy.tsx';
import { Fact, Glyph, Said, Tag } from '../../parts/marks.tsx';
import { MerchantLogin } from '../../parts/merchant-login.tsx';
import { MerchantTerms } from '../../parts/merchant-terms.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { SuspensionCard } from '../../parts/suspension-card.tsx';
import { When } from '../../parts/when.tsx';
import { addressOf } from '../../route.ts';
import { operatorScreen, type Viewed } from '../../screen.tsx';
import type { Merchant } from '../../wire/operator-api.ts';
import type { Mode } from '../../wire/types.ts';
import { merchantStates, planWord, verifiedWords } from '../../words/words.ts';

export const merchant = operatorScreen({
  route: merchantRoute,
  title: ({ id }, known) => `${known?.name ?? id} · Merchant`,
  navigation: merchantsEntry,
  load: ({ api }, { id }) => ({ key: `merchant ${id}`, ask: () => api.merchant(id) }),
  view: OneMerchant,
});

function OneMerchant({ params: { id }, asked }: Viewed<{ readonly id: string }, Merchant>) {
  const { to } = usePageContext();
  const { value, failure, again } = asked;
  return (
    <main class="page" id="main">
      <BackLink to={to(merchantsEntry.link)}>Merchants</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>{value === null ? 'Merchant' : <Said text={value.name} />}</h1>
        <Id id={id} what="merchant id" />
      </div>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null ? (
        failure === null && <Loading lines={5} what="the merchant" />
      ) : (
        <Whole merchant={value} asked={asked} />
      )}
    </main>
  );
}

interface WholeProps {
  readonly merchant: Merchant;
  readonly asked: Asked<Merchant>;
}

const Whole = ({ merchant, asked }: WholeProps) => (
  <div class="columns even">
    <div class="side">
      <Facts merchant={merchant} />
      <SuspensionCard merchant={merchant} onChanged={asked.again} />
    </div>
    <div class="side">
      {/* a change of somebody else begins the form anew */}
      <MerchantTerms key={merchant.updatedAt} merchant={merchant} onChanged={asked.again} />
      <MerchantLogin merchant={merchant} />
    </div>
  </div>
);

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
      <dl class="facts">
        <Fact name="State">
          <span class="tags">
            <Tag words={suspended ? merchantStates.suspended : merchantStates.active} />
            {verified && <Tag words={verifiedWords} />}
          </span>
        </Fact>
        <Fact name="E-mail">
          <Said text={email} />
        </Fact>
        <Fact name="Plan">{planWord(plan)}</Fact>
        <Fact name="Project">
          <Id id={projectId} what="project id" />
        </Fact>
        <Fact name="Created">
          <When at={createdAt} now={now} />
        </Fact>
        {updatedAt !== createdAt && (
          <Fact name="Last change">
            <When at={updatedAt} now={now} />
          </Fact>
        )}
      </dl>
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
