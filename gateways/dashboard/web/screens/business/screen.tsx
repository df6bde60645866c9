/** The merchant as buyers see it, and what its plan includes. */
import type { Asked } from '../../asked.ts';
import { businessEntry, businessRoute } from '../../places.ts';
import { usePageContext } from '../../context.ts';
import { BusinessForm } from './business-form.tsx';
import { LogoCard } from './logo-card.tsx';
import { FactList, Tag } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Business } from '../../wire/types.ts';
import { entitlementWords, includedText } from '../../words/settings.ts';
import { planWord, verifiedWords } from '../../words/words.ts';

export const business = screen({
  route: businessRoute,
  title: 'Business',
  navigation: businessEntry,
  follows: ['merchant'],
  load: ({ api, place }) => ({ key: 'business', ask: () => api.call('GET business', place) }),
  view: BusinessScreen,
});

function BusinessScreen({ asked }: Viewed<object, Business>) {
  const { value, failure, again } = asked;
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Business</h1>
      <p class="lead soft">Who buyers pay. The same in the sandbox and in live.</p>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null ? (
        failure === null && <Loading lines={5} what="the business" />
      ) : (
        <Whole of={value} asked={asked} />
      )}
    </main>
  );
}

function Whole({ of: value, asked }: { readonly of: Business; readonly asked: Asked<Business> }) {
  const { onProjectsChanged } = usePageContext();
  const changed = (): void => {
    asked.again();
    // the bar shows the name
    onProjectsChanged();
  };
  return (
    <div class="columns halves">
      <div class="side">
        <BusinessForm business={value} onChanged={changed} />
        <LogoCard business={value} onChanged={changed} />
      </div>
      <div class="side">
        <PlanCard of={value} />
      </div>
    </div>
  );
}

const PlanCard = ({ of: { email, plan, verified, entitlements } }: { readonly of: Business }) => (
  <section class="slip lone act" aria-labelledby="plan">
    <h2 id="plan">Plan</h2>
    <FactList
      of={[
        ['Plan', planWord(plan)],
        ['Login', email],
        [
          'Verified by the operator',
          verified ? (
            <span class="tags">
              <Tag words={verifiedWords} />
            </span>
          ) : (
            'Not yet'
          ),
        ],
      ]}
    />
    <h3>What it includes</h3>
    <dl class="facts entitled">
      {entitlements.map(({ entitlement, ...modes }) => {
        const { title, text } = entitlementWords(entitlement);
        return (
          <div key={entitlement}>
            <dt>
              {title}
              <span class="below">{text}</span>
            </dt>
            <dd>{includedText(modes)}</dd>
          </div>
        );
      })}
    </dl>
    <p class="soft">The operator of this service changes the plan. Everything else is in every plan.</p>
  </section>
);
