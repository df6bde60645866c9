/** The four lists of billing, beside each other: one entry of the bar leads to them. */
import { useScreenContext } from '../context.ts';
import type { Link } from '../route.ts';
import { customersLink } from '../screens/customers/route.ts';
import { invoicesLink } from '../screens/invoices/route.ts';
import { plansLink } from '../screens/plans/route.ts';
import { billingEntry } from '../screens/subscriptions/route.ts';

const tabs = {
  subscriptions: ['Subscriptions', billingEntry.link],
  invoices: ['Invoices', invoicesLink],
  customers: ['Customers', customersLink],
  plans: ['Plans', plansLink],
} as const satisfies Readonly<Record<string, readonly [string, Link]>>;

export function BillingTabs({ current }: { readonly current: keyof typeof tabs }) {
  const { to } = useScreenContext();
  return (
    <nav class="tabs" aria-label="Billing">
      {Object.entries(tabs).map(([name, [word, link]]) => (
        <a key={name} href={to(link)} aria-current={name === current ? 'page' : undefined}>
          {word}
        </a>
      ))}
    </nav>
  );
}
