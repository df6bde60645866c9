/** What an examination has found: one line each, which says what it is and what to do. */

/** `unknown`: it could not be looked at. A `problem` keeps the service from its work, or will. */
export type FindingIs = 'ok' | 'unknown' | 'warning' | 'problem';

export interface Finding {
  /** What was looked at, in one word. */
  readonly check: string;
  readonly is: FindingIs;
  readonly says: string;
}

type Find = (says: string) => Finding;

/** The findings of one check. */
export const findingsOf = (check: string): { readonly [is in FindingIs]: Find } => ({
  ok: (says) => ({ check, is: 'ok', says }),
  unknown: (says) => ({ check, is: 'unknown', says }),
  warning: (says) => ({ check, is: 'warning', says }),
  problem: (says) => ({ check, is: 'problem', says }),
});
