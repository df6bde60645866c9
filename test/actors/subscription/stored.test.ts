/** Documents as they are stored today, kept in stored-v1.json: every later build must read them and go on. When the shape
 *  of a state changes, raise its schema and write an upcast; these documents stay as they are. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { customer } from '../../../actors/customer/customer.ts';
import { invoiceBook } from '../../../actors/invoice-book/invoice-book.ts';
import { plan } from '../../../actors/plan/plan.ts';
import { subscription } from '../../../actors/subscription/subscription.ts';
import type { SubscriptionState } from '../../../actors/subscription/state.ts';
import { shownInvoice } from '../../../actors/subscription/view.ts';
import { days } from '../../../src/kernel/time.ts';
import type { AnyActor, Json } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { upcasted } from '../../../src/runtime/model/upcast.ts';
import { metaOf } from '../../../src/runtime/turn/turn-rows.ts';
import type { Doc } from '../../../src/store/store.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { request, threeSeven, withTerms, Years } from './subscribing.ts';

interface Stored {
  readonly what: string;
  readonly doc: Doc;
  readonly now: number;
  readonly numbers: number;
  /** What it shows, and what it does in the next ninety days. */
  readonly view: object;
  readonly invoices: readonly object[];
  readonly told: readonly string[];
}

interface File {
  readonly subscriptions: readonly Stored[];
  readonly others: readonly { readonly doc: Doc; readonly view: object }[];
}

const path = new URL('stored-v1.json', import.meta.url);
const shown = (actor: AnyActor, doc: Doc): object =>
  JSON.parse(JSON.stringify(actor.view(upcasted(actor, doc).body as never, metaOf(doc)))) as object;

const read = (): File => JSON.parse(readFileSync(path, 'utf8')) as File;

/** Ninety days from a stored document on. */
function future({ doc, now, numbers }: Pick<Stored, 'doc' | 'now' | 'numbers'>): Years {
  const { opening } = upcasted(subscription, doc).body as unknown as SubscriptionState;
  const years = new Years('2026-01-31').continued(
    upcasted(subscription, doc),
    now,
    numbers + (opening === null ? 0 : 1),
  );
  if (opening !== null) {
    const { invoiceId } = opening;
    years
      .ask('read', { invoiceId, plan: null, customer: null })
      .ask('numbered', { invoiceId, number: numbers + 1 });
  }
  return years.reach(now + days(90));
}

describe.each(read().subscriptions)('a subscription stored in schema 1: $what', (stored) => {
  test('shows what it showed, with its invoices', () => {
    // what comes next was not shown then
    expect(shown(subscription, stored.doc)).toEqual({
      ...stored.view,
      nextSteps: expect.any(Array) as unknown,
    });
    const doc = upcasted(subscription, stored.doc);
    const rows = subscription.rows?.(doc.body as never, metaOf(doc)) ?? [];
    expect(JSON.parse(JSON.stringify(rows.map(({ body }) => body)))).toEqual(
      stored.invoices.map(shownInvoice),
    );
  });

  test('goes on as it would have', () => {
    if (stored.told.length === 0) expect(['cancelled', 'completed']).toContain(stored.doc.body?.['status']);
    expect(future(stored).told).toEqual(stored.told);
  });

  test('is read by a build with a newer schema, which can be written in this one', () => {
    const { body } = upcasted(later, stored.doc);
    expect(body).toMatchObject({ taxedAt: null });
    expect(lowered(later, body as never, 1)).toEqual(upcasted(subscription, stored.doc).body);
  });
});

/** A build to come: its state has one more field. */
const later: AnyActor = {
  ...(subscription as unknown as AnyActor),
  schema: subscription.schema + 1,
  upcast: (body: Json) => ({ ...(body as unknown as SubscriptionState), taxedAt: null }),
  downcast: ({ taxedAt: _none, ...state }: SubscriptionState & { taxedAt: null }) => state as unknown as Json,
};

describe('a subscription that an older build has ended, with an invoice that nobody has paid', () => {
  /** As it is stored then: no timer is armed. */
  function stored(): Years {
    const years = new Years('2026-01-31').ask('create', request(withTerms({ gracePeriodDays: 40 })));
    years.ask('cancel', { reason: null, atPeriodEnd: true }).until('2026-03-01');
    const { doc } = years;
    assert(doc !== null, 'it was created');
    const [invoice] = invoicesIn(years);
    expect([years.state.status, invoice?.status]).toEqual(['cancelled', 'open']);
    return years.continued({ ...doc, timers: [], wake: null }, years.now, 1);
  }
  const invoicesIn = ({ state }: Years) => state.invoices;

  test('never becomes past due by itself', () => {
    const years = stored().waitFor(days(400));
    expect(invoicesIn(years)).toMatchObject([{ status: 'open' }]);
  });

  test('does so once its timer was armed, also when its time is over, with its event', () => {
    for (const after of [0, 400]) {
      const years = stored().waitFor(days(after)).ask('armAfterEnd', {});
      years.waitFor(days(20));
      expect(invoicesIn(years)).toMatchObject([{ status: 'past_due' }]);
      expect(years.told.filter((each) => each.includes('invoice.past_due'))).toHaveLength(1);
      expect(years.timer('step')).toBeNull();
    }
  });

  test('nothing is armed where nothing is to come', () => {
    const years = stored().ask('armAfterEnd', {}).waitFor(days(20));
    const { doc } = years;
    expect(years.ask('armAfterEnd', {}).doc).toEqual(doc);
    const running = new Years('2026-01-31').ask('create', request(threeSeven));
    const before = running.doc;
    expect(running.ask('armAfterEnd', {}).doc).toEqual(before);
  });
});

test.each(read().others)('a $doc.kind stored in schema 1 shows what it showed', ({ doc, view }) => {
  const actor = [plan, customer, invoiceBook].find(({ kind }) => kind === doc.kind);
  expect(shown(actor as unknown as AnyActor, doc)).toEqual(view);
});
