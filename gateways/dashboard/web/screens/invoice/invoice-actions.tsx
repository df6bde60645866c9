/** What a merchant can do with an invoice: give its page to the customer, send it again, void it, mark it paid. */
import { useState } from 'preact/hooks';
import { reasonCharactersMax } from '../../../../../src/kernel/text-bounds.ts';
import { useScreenContext } from '../../context.ts';
import { given, isoOf, momentFrom } from '../../wire/billing-forms.ts';
import type { Invoice, PayLink, Subscription } from '../../wire/billing-types.ts';
import { optionalText, readForm } from '../../wire/form-reading.ts';
import { isPayable } from '../../words/billing.ts';
import { markPaidEffects, voidEffects } from '../../words/billing-effects.ts';
import { nepalText } from '../../words/time.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { Effects } from '../../parts/effects.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { FormFailure } from '../../parts/notices.tsx';
import { ActionForm, RequestForm } from '../../parts/request-form.tsx';
import { useActions } from '../../parts/use-actions.ts';
import { useSubmit } from '../../parts/use-submit.ts';
import { When } from '../../parts/when.tsx';

export interface InvoiceActionsProps {
  readonly invoice: Invoice;
  /** null: not known yet. */
  readonly subscription: Subscription | null;
  readonly onChanged: () => void;
}

type Way = 'send' | 'paid' | 'void';

export function InvoiceActions({ invoice, subscription, onChanged }: InvoiceActionsProps) {
  const { way, choose, back, done } = useActions<Way>(onChanged);
  return (
    <section class="slip lone act" aria-labelledby="pay">
      <h2 id="pay" tabIndex={-1}>
        {isPayable(invoice) ? 'Get it paid' : 'What can be done'}
      </h2>
      {isPayable(invoice) && <Page invoice={invoice} />}
      {way === null && <Buttons invoice={invoice} onWay={choose} />}
      {way !== null && subscription !== null && (
        <Form way={way} invoice={invoice} subscription={subscription} done={done} back={back} />
      )}
    </section>
  );
}

/** The page that stays, and a page that can be paid on at once. */
function Page({ invoice }: { readonly invoice: Invoice }) {
  return (
    <>
      <p class="soft">Its page offers every provider. The address stays valid until it is paid.</p>
      <p class="address">
        <a href={invoice.hostedUrl} target="_blank" rel="noopener noreferrer">
          {invoice.hostedUrl}
        </a>
        <CopyButton text={invoice.hostedUrl} what="address of the invoice" />
      </p>
      <Checkout id={invoice.id} />
    </>
  );
}

function Checkout({ id }: { readonly id: string }) {
  const { api, place, announce, now } = useScreenContext();
  const [link, setLink] = useState<PayLink | null>(null);
  const { isBusy, failure, submit } = useSubmit();
  const ask = (): void =>
    submit(
      () => api.call('POST /v1/billing/invoices/{id}/pay-link', place, { id, key: crypto.randomUUID() }),
      (made) => {
        setLink(made);
        announce('The checkout is ready.');
      },
    );
  if (link !== null && Date.parse(link.expires_at) > now) {
    return (
      <>
        <p class="address">
          <a href={link.url} target="_blank" rel="noopener noreferrer">
            {link.url}
          </a>
          <CopyButton text={link.url} what="address of the checkout" />
        </p>
        <p class="soft">
          Open until <When at={link.expires_at} now={now} />. Then the page above makes another one.
        </p>
      </>
    );
  }
  return (
    <>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button type="button" class="step" aria-busy={isBusy} onClick={ask}>
          <Glyph name="link" />
          Make a checkout for 2 hours
        </button>
      </div>
    </>
  );
}

function Buttons({ invoice, onWay }: { readonly invoice: Invoice; readonly onWay: (way: Way) => void }) {
  const { status } = invoice;
  if (status === 'paid') return <p class="soft">It is paid. To give money back, refund its payment.</p>;
  if (status === 'voided') return <p class="soft">It is voided: nothing more happens with it.</p>;
  return (
    <>
      {status === 'draft' && (
        <p class="soft">It gets its number and its page when it opens. Until then it can only be voided.</p>
      )}
      <div class="buttons">
        {isPayable(invoice) && (
          <>
            <button type="button" class="step" onClick={() => onWay('send')}>
              <Glyph name="send" />
              Send it again
            </button>
            <button type="button" class="step" onClick={() => onWay('paid')}>
              <Glyph name="check" />
              Mark as paid
            </button>
          </>
        )}
        <button type="button" class="step" onClick={() => onWay('void')}>
          <Glyph name="cross" />
          Void
        </button>
      </div>
    </>
  );
}

interface FormProps {
  readonly invoice: Invoice;
  readonly subscription: Subscription;
  readonly done: (news: string) => void;
  readonly back: () => void;
}

function Form({ way, ...props }: FormProps & { readonly way: Way }) {
  switch (way) {
    case 'send':
      return <Send {...props} />;
    case 'paid':
      return <MarkPaid {...props} />;
    case 'void':
      return <Void {...props} />;
  }
}

function Send({ invoice, subscription, done, back }: FormProps) {
  const { api, place } = useScreenContext();
  const { email, name } = subscription.customer;
  return (
    <ActionForm
      word={email === null ? 'Send it all the same' : 'Send the mail'}
      send={(key) => api.call('POST /v1/billing/invoices/{id}/send', place, { id: invoice.id, key })}
      onDone={() => done(email === null ? 'Nobody was mailed.' : `${email} is mailed.`)}
      onBack={back}
    >
      <Effects
        effects={[
          email === null
            ? `${name} has no e-mail address: nobody is mailed. Copy the address above instead.`
            : `${email} is mailed the amount and the address of the page, in English and Nepali.`,
          'It counts as no reminder: those come at their own times.',
        ]}
      />
    </ActionForm>
  );
}

function Void({ invoice, subscription, done, back }: FormProps) {
  const { api, place, now } = useScreenContext();
  return (
    <ActionForm
      isDanger
      word="Void the invoice"
      send={(key) => api.call('POST /v1/billing/invoices/{id}/void', place, { id: invoice.id, key })}
      onDone={() => done('The invoice is voided.')}
      onBack={back}
    >
      <Effects effects={voidEffects(invoice, subscription, now)} />
    </ActionForm>
  );
}

function MarkPaid({ invoice, subscription, done, back }: FormProps) {
  const { api, place, now } = useScreenContext();
  return (
    <RequestForm
      name="Mark it as paid"
      word="Mark it as paid"
      fields={[
        {
          name: 'paidAt',
          label: 'Paid',
          type: 'datetime-local',
          max: nepalText(now),
          note: 'Nepal time. Empty: now.',
        },
        {
          name: 'notes',
          label: 'Notes',
          maxLength: reasonCharactersMax,
          note: 'How you were paid: cash, cheque, a bank transfer.',
        },
      ]}
      read={(text) =>
        readForm(
          {
            paidAt: momentFrom(text('paidAt'), Number.NEGATIVE_INFINITY, ''),
            notes: optionalText(text('notes'), reasonCharactersMax),
          },
          ({ paidAt, notes }) => given({ paidAt: isoOf(paidAt), notes }),
        )
      }
      send={(body, key) =>
        api.call('POST /v1/billing/invoices/{id}/mark-paid', place, { id: invoice.id, body, key })
      }
      onDone={() => done('The invoice is paid.')}
      onBack={back}
    >
      <Effects effects={markPaidEffects(invoice, subscription)} />
    </RequestForm>
  );
}
