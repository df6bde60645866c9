/** A subscription as a row of a list: who, what, and what comes next. */
import { useScreenContext } from '../context.ts';
import { subscriptionRoute } from '../places.ts';
import type { Subscription } from '../wire/billing-types.ts';
import { endsWords, nextText, priceText, subscriptionStates } from '../words/billing.ts';
import { wordsOf } from '../words/words.ts';
import { UserText, Tag } from './marks.tsx';

export interface SubscriptionRowProps {
  readonly subscription: Subscription;
  /** On the page of its customer. */
  readonly isOfCustomer?: boolean;
}

export function SubscriptionRow({ subscription, isOfCustomer = false }: SubscriptionRowProps) {
  const { to, now } = useScreenContext();
  const { id, customer, plan, displayStatus, cancelAtPeriodEnd } = subscription;
  const [first, second] = isOfCustomer ? [plan.name, ''] : [customer.name, plan.name];
  return (
    <li class="row">
      <span class="tags">
        <Tag words={wordsOf(subscriptionStates, displayStatus)} />
        {cancelAtPeriodEnd && <Tag words={endsWords} />}
      </span>
      <div class="words">
        <a class="whole" href={to(subscriptionRoute.at({ id }))}>
          <UserText text={first} />
        </a>
        {second !== '' && (
          <span class="soft">
            <UserText text={second} />
          </span>
        )}
      </div>
      <span class="sum">{priceText(plan)}</span>
      <span class="soft end">{nextText(subscription, now)}</span>
    </li>
  );
}

export const SubscriptionRows = ({
  rows,
  isOfCustomer = false,
}: {
  readonly rows: readonly Subscription[];
  readonly isOfCustomer?: boolean;
}) => (
  <ul class="rows billed">
    {rows.map((subscription) => (
      <SubscriptionRow key={subscription.id} subscription={subscription} isOfCustomer={isOfCustomer} />
    ))}
  </ul>
);
