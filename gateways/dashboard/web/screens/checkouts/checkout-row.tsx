/** A checkout as a row of a list. It leads to its payment; before a buyer has begun to pay, to the buyer's page. */
import { displayNpr } from '../../../../../src/kernel/money.ts';
import { paymentRoute } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { isOpenCheckout } from './checkout-rows.ts';
import type { Checkout } from '../../wire/types.ts';
import { buyerText } from '../../words/buyer.ts';
import { providerWord, sessionStates, sourceWord, wordsOf } from '../../words/words.ts';
import type { RowProps } from '../../parts/list-section.tsx';
import { UserText, Tag } from '../../parts/marks.tsx';
import { Ago } from '../../parts/when.tsx';

export function CheckoutRow({ row: checkout }: RowProps<Checkout>) {
  const { to, now } = useScreenContext();
  const { status, source, provider, amount, paymentId, expires_at: expiresAt, updatedAt } = checkout;
  const isOpen = isOpenCheckout(checkout);
  const ways = [sourceWord(source), ...(provider === null ? [] : [providerWord(provider)])];
  return (
    <li class="row">
      <span class="tags">
        <Tag words={wordsOf(sessionStates, status)} />
      </span>
      <div class="words">
        {paymentId === null ? (
          <BuyersPage checkout={checkout} isOpen={isOpen} />
        ) : (
          <a class="whole" href={to(paymentRoute.at({ id: paymentId }))}>
            <Name checkout={checkout} />
          </a>
        )}
        <span class="soft">{ways.join(' · ')}</span>
      </div>
      <span class="sum">{displayNpr(amount)}</span>
      <span class="soft end">
        {isOpen ? 'Ends ' : 'Ended '}
        <Ago at={isOpen ? expiresAt : updatedAt} now={now} />
      </span>
    </li>
  );
}

interface BuyersPageProps {
  readonly checkout: Checkout;
  readonly isOpen: boolean;
}

const BuyersPage = ({ checkout, isOpen }: BuyersPageProps) =>
  isOpen && checkout.checkout_url !== null ? (
    <a class="whole" href={checkout.checkout_url} target="_blank" rel="noopener noreferrer">
      <Name checkout={checkout} />
      <span class="unseen">, the buyer’s page in a new tab</span>
    </a>
  ) : (
    <strong>
      <Name checkout={checkout} />
    </strong>
  );

function Name({ checkout: { id, customer, description } }: { readonly checkout: Checkout }) {
  const known = buyerText(customer) ?? description;
  return known === null ? <span class="nameless">Checkout {id.slice(3, 9)}</span> : <UserText text={known} />;
}
