/** What the front doors are given. Boundary: types alone; the composition root brings the parts. */
import type { BuyerParts } from '../buyer/parts.ts';
import type { Docs } from './docs.ts';

export interface FrontParts extends BuyerParts {
  /** GALLA_SIMULATOR. */
  readonly simulator: boolean;
  /** What lies beside the program; null: it is not there. */
  readonly docs: Docs | null;
  /** Makes a checkout of the demo merchant and gives its id; rejects when the API refuses it. null: the test payment is
   *  not offered (test-payment.ts says where it is). */
  readonly makeTestPayment: ((order: object) => Promise<string>) | null;
}
