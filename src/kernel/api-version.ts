/** The one version of the API there is, and of the events it sends: a day. */
export const apiVersion = '2026-11-20';
