/** The only version of the API and of its events: a date. */
export const apiVersion = '2026-11-20';
