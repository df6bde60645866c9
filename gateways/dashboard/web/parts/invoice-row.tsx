/** An invoice as a row of a list. */
import { useAsked } from '../asked.ts';
import { invoiceRoute } from '../places.ts';
import { useScreenContext } from '../context.ts';
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Invoice } from '../wire/billing-types.ts';
import { invoiceStates, numberText } from '../words/billing.ts';
import { dayOf, dayWord } from '../words/time.ts';
import { wordsOf } from '../words/words.ts';
import { UserText, Tag } from './marks.tsx';

export interface InvoiceRowsProps {
  readonly rows: readonly Invoice[];
  /** Whose they are is shown, too. */
  readonly isNamed?: boolean;
}

export function InvoiceRows({ rows, isNamed = false }: InvoiceRowsProps) {
  const names = useCustomerNames(isNamed ? rows.map(({ customerId }) => customerId) : []);
  return (
    <ul class="rows billed">
      {rows.map((invoice) => (
        <InvoiceRow
          key={invoice.id}
          invoice={invoice}
          customer={isNamed ? (names.get(invoice.customerId) ?? '') : null}
        />
      ))}
    </ul>
  );
}

/** Names by id; asked for once for all rows. */
export function useCustomerNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { api, place } = useScreenContext();
  const each = [...new Set(ids)].toSorted();
  const asked = useAsked(`customer names ${each.join(' ')}`, () =>
    each.length === 0
      ? Promise.resolve({ ok: true, value: { data: [] } } as const)
      : api.call('GET customer-names', place, { query: { ids: each.join(',') } }),
  );
  return new Map((asked.value?.data ?? []).map(({ id, name }) => [id, name]));
}

interface InvoiceRowProps {
  readonly invoice: Invoice;
  /** null: not shown; '': not known yet. */
  readonly customer: string | null;
}

function InvoiceRow({ invoice, customer }: InvoiceRowProps) {
  const { to, now } = useScreenContext();
  const { id, status, amount, lines } = invoice;
  return (
    <li class="row">
      <span class="tags">
        <Tag words={wordsOf(invoiceStates, status)} />
      </span>
      <div class="words">
        <a class="whole" href={to(invoiceRoute.at({ id }))}>
          {numberText(invoice)}
        </a>
        <span class="soft">
          {customer !== null && customer !== '' && (
            <>
              <UserText text={customer} />
              {' · '}
            </>
          )}
          <UserText text={lines[0]?.description ?? ''} />
        </span>
      </div>
      <span class="sum">{displayNpr(amount)}</span>
      <span class="soft end">{whenText(invoice, now)}</span>
    </li>
  );
}

function whenText({ status, dueAt, paidAt, updatedAt }: Invoice, now: number): string {
  if (status === 'paid' && paidAt !== null) return `Paid ${dayWord(Date.parse(paidAt), now)}`;
  if (status === 'voided') return `Voided ${dayWord(Date.parse(updatedAt), now)}`;
  const due = Date.parse(dueAt);
  return `${dayOf(due) >= dayOf(now) ? 'Due' : 'Was due'} ${dayWord(due, now)}`;
}
