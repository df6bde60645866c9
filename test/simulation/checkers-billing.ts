/** Histories that break the laws of billing, each with the law. */
import * as billingLaws from './checkers/billing.ts';
import type { MakeChecker } from './checkers/checker.ts';
import { invoiceOf, subscribed, type Scene } from './scene.ts';

export const brokenBilling: readonly (readonly [MakeChecker, (scene: Scene) => unknown])[] = [
  [
    billingLaws.eachPeriodIsBilledOnce,
    (s) => s.doc(subscribed([invoiceOf('inv_1', 10), invoiceOf('inv_2', 15)])),
  ],
  [billingLaws.eachPeriodIsBilledOnce, (s) => s.doc(subscribed([invoiceOf('inv_1', 0)]))],
  [
    billingLaws.nothingOpensInAPauseOrAfterTheEnd,
    (s) =>
      s
        .doc(subscribed([], { status: 'paused', pausedAt: 12 }))
        .doc(subscribed([invoiceOf('inv_1', 10, { openedAt: 14 })], { status: 'paused', pausedAt: 12 })),
  ],
  [
    billingLaws.invoiceNumbersHaveNoGaps,
    (s) => s.doc(subscribed([invoiceOf('inv_1', 0, { number: 1 }), invoiceOf('inv_2', 10, { number: 1 })])),
  ],
  [
    billingLaws.invoiceNumbersHaveNoGaps,
    (s) =>
      s
        .doc(subscribed([invoiceOf('inv_1', 10, { number: 2 })]))
        .doc({ kind: 'invoice_book', id: 'prj_aa:live', body: { last: 2 } })
        .ended(),
  ],
  [
    billingLaws.invoicesKeepOnePayment,
    (s) => s.row({ kind: 'invoice', id: 'inv_1', body: { paymentId: 'pay_1' } }).ended(),
  ],
];
