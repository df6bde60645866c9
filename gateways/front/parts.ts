/** Dependencies of the front doors. Boundary: types alone; the composition root supplies the values. */
import type { BuyerParts } from '../buyer/parts.ts';
import type { Docs } from './docs.ts';
import type { BuiltFiles } from '../pages/built-files.ts';

export interface FrontParts extends BuyerParts {
  /** GALLA_SIMULATOR. */
  readonly simulator: boolean;
  /** The documentation shipped with the program; null: there is none. */
  readonly docs: Docs | null;
  /** The built files of the API reference's viewer; empty: it is not built. */
  readonly viewer: BuiltFiles;
  /** Creates a checkout of the demo merchant and returns its id; rejects when the API refuses it. null: the
   *  test payment is not offered (see test-payment.ts). */
  readonly makeTestPayment: ((order: object) => Promise<string>) | null;
}
