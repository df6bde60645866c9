/** The rule by which a provider is degraded (docs/reference/api/providers.md): one rule for the pages, the
 *  API and the incidents. Pure. */
import { minutes, type DurationMs } from '../../src/kernel/time.ts';

/** Only attempts that began within this time count. */
export const windowMs: DurationMs = minutes(15);

export interface Attempts {
  /** Those that have ended. */
  readonly attempts: number;
  readonly paid: number;
}

export interface Rule {
  /** A provider with fewer attempts is not judged. */
  readonly attemptsMin: number;
  /** Below this share of successes a provider is degraded. */
  readonly rateMin: number;
}

export const degradedRule: Rule = { attemptsMin: 20, rateMin: 0.5 };

/** null: too few attempts to judge. */
export const rateOf = ({ paid, attempts }: Attempts): number | null =>
  attempts < degradedRule.attemptsMin ? null : paid / attempts;

export const isDegraded = ({ paid, attempts }: Attempts, { attemptsMin, rateMin } = degradedRule): boolean =>
  attempts >= attemptsMin && paid / attempts < rateMin;

/** Whether the time alone could change the verdict: attempts leave the window. */
export const couldChange = ({ paid, attempts }: Attempts): boolean =>
  attempts - paid > degradedRule.attemptsMin * (1 - degradedRule.rateMin);
