/** How long texts may be, in characters. What the API accepts, and what its forms let people type. */

/** Of a person, a business, a link, a key. */
export const nameCharactersMax = 100;
export const emailCharactersMax = 254;
export const urlCharactersMax = 2048;
export const descriptionCharactersMax = 500;
/** Why somebody did something. */
export const reasonCharactersMax = 500;
export const refundNotesCharactersMax = 1000;
