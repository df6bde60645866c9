/** Addresses of the pages for people who try the service, and the order of their test payment. */
export const simulatorPath = '/sim';
export const thanksPath = '/sim/thanks';
/** The reference of the API, as read from its own document. */
export const docsPath = '/docs';
/** The same of the operator's API. */
export const operatorDocsPath = '/docs/operator';
/** All guides and pages of reference. */
export const guidesPath = '/docs/guides';
export const testPaymentPath = '/sim/test-payment';

/** The amount of the start page's button, in paisa: the same order as in the README. */
export const testOrder = { amount: 125_050, description: 'Order 1001' } as const;
