/** How long texts may be, in characters. What the API accepts, and what its forms let people type. */

/** Of a person, a business, a link, a key. */
export const nameCharactersMax = 100;
export const emailCharactersMax = 254;
export const urlCharactersMax = 2048;
export const descriptionCharactersMax = 500;
/** Why somebody did something. */
export const reasonCharactersMax = 500;
/** Of a refund, and of how an invoice was paid. */
export const notesCharactersMax = 1000;
/** A merchant's own reference. */
export const referenceCharactersMax = 120;
/** Of a customer of billing. */
export const phoneCharactersMax = 20;
/** Of who pays a checkout. */
export const buyerPhoneCharactersMax = 30;
/** The name of a column of a statement. */
export const columnCharactersMax = 100;

/** Of a statement, in bytes. */
export const statementBytesMax = 5 * 1024 * 1024;
