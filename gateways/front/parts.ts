/** What the front doors are given. Boundary: types alone; the composition root brings the parts. */
import type { BuyerParts } from '../buyer/parts.ts';

export interface FrontParts extends BuyerParts {
  /** GALLA_SIMULATOR. */
  readonly simulator: boolean;
  /** Whether the documentation is served. */
  readonly docs: boolean;
  /** Makes a checkout of the demo merchant and gives its id; rejects when the API refuses it. null: the test payment is
   *  not offered (test-payment.ts says where it is). */
  readonly makeTestPayment: ((order: object) => Promise<string>) | null;
}
