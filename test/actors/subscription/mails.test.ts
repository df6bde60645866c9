/** Which mails of invoices a subscription causes: one message for each cause, told in the commit that causes it. */
import { describe, expect, test } from 'vitest';
import type { InvoiceNotice } from '../../../actors/message/messages.ts';
import { bare, localOf, request, subscribed, threeSeven, withTerms, type Years } from './subscribing.ts';

/** Those of one invoice, or of all: `2027-01-01 opened INV-000001`. */
const mailsOf = ({ tells }: Years, number?: string): readonly string[] =>
  tells
    .filter(({ to }) => to.startsWith('message/'))
    .map(({ data }) => (data as unknown as { notice: InvoiceNotice }).notice)
    .filter((notice) => number === undefined || notice.number === number)
    .map((notice) => [notice.cause, notice.number].join(' '));
const idsOf = ({ tells }: Years): readonly string[] =>
  tells.filter(({ to }) => to.startsWith('message/')).map(({ to }) => to.slice('message/'.length));

/** The second invoice is open, four days before it is due. */
const open = (plan = threeSeven): Years => subscribed('2026-01-31', plan).paid().until('2026-02-25');

test('an invoice is mailed when it opens, on its due day and with each reminder, each under its own id', () => {
  const years = open().until('2026-03-14');
  expect(mailsOf(years, 'INV-000002')).toEqual([
    'opened INV-000002',
    'due INV-000002',
    'overdue INV-000002',
    'overdue INV-000002',
  ]);
  const ids = idsOf(years);
  expect(new Set(ids).size).toBe(ids.length);
  // in the slot of the subscription, so that both have one owner
  for (const id of ids) expect(id.slice(4, 6)).toBe('11');
});

test('the mail says what the invoice says', () => {
  const years = open();
  const { data } = years.tells.filter(({ to }) => to.startsWith('message/')).at(-1) ?? {};
  const { notice } = data as unknown as { notice: InvoiceNotice };
  const { id, dueAt, periodStart, periodEnd } = years.invoice();
  expect(notice).toEqual({
    is: 'invoice',
    channel: 'email',
    cause: 'opened',
    subscriptionId: years.view['id'],
    customerId: years.state.customerId,
    invoiceId: id,
    number: 'INV-000002',
    planName: 'Pro monthly',
    amount: 150_000,
    dueAt,
    periodStart,
    periodEnd,
  });
  expect(localOf(notice.dueAt)).toBe('2026-02-28');
});

test('one that is due when it opens has no mail of its due day', () => {
  expect(mailsOf(subscribed('2026-01-31 14:00', bare).until('2026-02-10'))).toEqual(['opened INV-000001']);
});

describe('Nothing follows', () => {
  test('a payment', () => {
    const years = open().until('2026-03-10').paid();
    const before = mailsOf(years, 'INV-000002');
    expect(mailsOf(years.until('2026-05-30'), 'INV-000002')).toEqual(before);
  });

  test('voiding', () => {
    const years = open();
    years.ask('voidInvoice', { invoiceId: years.invoice().id });
    expect(mailsOf(years.until('2026-03-20'), 'INV-000002')).toEqual(['opened INV-000002']);
  });

  test('the end of the subscription', () => {
    const years = open(withTerms({ overdueAction: 'cancel' })).until('2026-06-30');
    expect(mailsOf(years, 'INV-000002')).toEqual(['opened INV-000002', 'due INV-000002']);
  });
});

test('however often the merchant sends it within a minute, it is one mail', () => {
  const years = open();
  const { id: invoiceId } = years.invoice();
  for (let asked = 0; asked < 50; asked++) years.ask('sendInvoice', { invoiceId }).waitFor(1000);
  const again = idsOf(years).slice(-50);
  expect(new Set(again).size).toBe(1);
  expect(mailsOf(years, 'INV-000002').at(-1)).toBe('again INV-000002');
});

test('the merchant sends it again, as often as wanted; not once it is paid', () => {
  const years = open();
  const { id: invoiceId } = years.invoice();
  years.ask('sendInvoice', { invoiceId }).waitFor(60_000).ask('sendInvoice', { invoiceId });
  expect(mailsOf(years, 'INV-000002')).toEqual(['opened INV-000002', 'again INV-000002', 'again INV-000002']);
  expect(new Set(idsOf(years)).size).toBe(idsOf(years).length);
  years.paid().when('sendInvoice', { invoiceId });
  expect(years.last).toMatchObject({ outcome: { code: 'invalid_state' }, tells: [] });
});

test('a customer without an address gets no mail of an opening; later ones ask again whether there is one', () => {
  const { customer } = request(threeSeven);
  const nobody = { customer: { ...customer, email: null } };
  const years = subscribed('2026-01-31', threeSeven, nobody).until('2026-02-08');
  expect(mailsOf(years)).toEqual(['overdue INV-000001']);
  expect(years.log).toContain('2026-02-07 invoice.reminder_sent INV-000001 1');
});
