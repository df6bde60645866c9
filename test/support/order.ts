/** An order with nothing but what it must have, for tests that care for one thing of it. */
import type { Order } from '../../actors/checkout-session/order.ts';

export const plainOrder: Order = {
  amount: 125_050,
  currency: 'NPR',
  description: 'Order 1001',
  returnUrl: 'https://shop.example/return',
  cancelUrl: null,
  collectAddress: false,
  customer: null,
  metadata: {},
  flow: 'hosted',
  preselected: null,
  referenceId: null,
  source: 'checkout',
  checkoutUrl: null,
};
