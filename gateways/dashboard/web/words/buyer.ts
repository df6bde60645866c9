/** Who pays, in one text. Pure. */
import type { Buyer } from '../wire/types.ts';

/** null: the shop named nobody. */
export const buyerText = (buyer: Buyer | null): string | null =>
  buyer?.name ?? buyer?.email ?? buyer?.phone ?? null;
