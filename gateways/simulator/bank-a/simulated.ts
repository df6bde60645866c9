/** The simulated bank_a in one value. */
import type { SimulatedProvider } from '../simulated-provider.ts';
import { bankADoors } from './bank-a.ts';
import { bankA } from './page.ts';

export const simulatedBankA: SimulatedProvider = {
  doors: (deps) => bankADoors(deps, bankA),
  buyersPayBy: bankA,
};
