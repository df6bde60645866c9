/** The address of the page of an invoice. */
export const invoicePathOf = (invoiceId: string): string => `/invoice/${invoiceId}`;
