/** Addresses of the pages for people who try the service, and the order of their test payment. */
export const simulatorPath = '/sim';
export const thanksPath = '/sim/thanks';
export const docsPath = '/docs';
export const testPaymentPath = '/sim/test-payment';

/** What the start page's button buys, in paisa: the order of the README. */
export const testOrder = { amount: 125_050, description: 'Order 1001' } as const;
