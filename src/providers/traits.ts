/** What everybody may know of a provider without its adapter: how it is shown, which settings it has, what its wire can
 *  do and how it may fail.
 *  Boundary: types and plain data, so that actors, pages and the dashboard in the browser may take them. The list is
 *  catalog.ts. */

/** One kind of exchange with a provider. */
export type SimulatedCall = 'start' | 'lookup' | 'refund' | 'cancel' | 'return' | 'callback' | 'socket';

/** What not every wire has. Faults and sandbox outcomes are offered by it. */
export type WireTrait =
  /** It sends the buyer's browser back to us, and tells that a buyer has cancelled. */
  | 'returns'
  /** It signs what the browser brings back. */
  | 'signed_returns'
  /** It tells what happens to an attempt by a socket. */
  | 'socket'
  /** The buyer scans a code with a phone. We end the attempt ourselves, and look it up every three seconds. */
  | 'scanned_code'
  /** Its look-up may leave the amount out, because the attempt itself fixed it. */
  | 'lookup_without_amount'
  /** A refund is a call. */
  | 'refund_call';

/** Where a fault of the simulator shows and when it is used up. */
export interface FaultRule {
  /** Calls it can show in; in any other it waits. */
  readonly calls: readonly SimulatedCall[];
  /** `taken`: each call it applies to counts. `moment`: it waits for its moment and counts then. */
  readonly counts: 'taken' | 'moment';
  /** Nothing else of the answer is left: what follows in the list waits for the next call. */
  readonly replaces: boolean;
}

/** A shape and a colour of ours, never a provider's own sign. */
export interface Tile {
  readonly ground: string;
  /** SVG elements on 40 by 40, drawn in white lines. */
  readonly drawing: string;
}

export interface ProviderTraits {
  /** What people are shown. */
  readonly label: string;
  readonly tile: Tile;
  /** Stands below the label where a buyer chooses. */
  readonly hint: string;
  /** Names of the settings of its live host, for our calls and for browsers; one name when both go to one host. */
  readonly liveHost: { readonly calls: string; readonly pages: string };
  /** It has an adapter and a simulator. False: only its name and its settings are there. */
  readonly isOffered: boolean;
  /** A checkout session may be paid with it. False: it is for invoices alone. */
  readonly inCheckout: boolean;
  readonly wire: readonly WireTrait[];
  /** Faults that its wire alone can show. Those of several wires stand in actors/simulated-payment/fault-kinds.ts. */
  readonly faults: { readonly [kind: string]: FaultRule };
}

/** A fault that each call counts in which it shows. */
export const faultIn = (...calls: readonly SimulatedCall[]): FaultRule => ({
  calls,
  counts: 'taken',
  replaces: false,
});
