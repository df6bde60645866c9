/** The public traits of a provider, without its adapter: how it is shown, its settings, its protocol's
 *  capabilities and its possible faults.
 *  Boundary: types and plain data, so that actors, pages and the dashboard in the browser may import them.
 *  The list is catalog.ts. */

/** One kind of exchange with a provider. */
export type SimulatedCall = 'start' | 'lookup' | 'refund' | 'cancel' | 'return' | 'callback' | 'socket';

/** Capabilities not every protocol has. They determine which faults and sandbox outcomes are offered. */
export type WireTrait =
  /** It sends the buyer's browser back to us, and reports a buyer's cancellation. */
  | 'returns'
  /** It signs the data the browser brings back. */
  | 'signed_returns'
  /** Its amounts are rupees, which it writes in several ways, like the names of some fields. */
  | 'spellings'
  /** Its server calls ours when an attempt has ended; it signs what it sends. */
  | 'callbacks'
  /** It reports on an attempt over a socket. */
  | 'socket'
  /** The buyer scans a code with a phone. We end the attempt ourselves, and look it up every three seconds. */
  | 'scanned_code'
  /** Its look-up may leave the amount out, because the attempt itself fixed it. */
  | 'lookup_without_amount'
  /** Its look-up names a fee of 0 until it has settled the payment: 0 then says nothing. */
  | 'fee_later'
  /** A refund is a call. */
  | 'refund_call'
  /** On a phone it can open its own app instead of its web pages. */
  | 'app_intent';

/** In which calls a fault of the simulator appears, and when it is used up. */
export interface FaultRule {
  /** The calls it can appear in; in any other it waits. */
  readonly calls: readonly SimulatedCall[];
  /** `taken`: each call it applies to is counted. `moment`: it waits for its moment and is counted then. */
  readonly counts: 'taken' | 'moment';
  /** It replaces the whole answer: later faults in the list wait for the next call. */
  readonly replaces: boolean;
}

/** A shape and a colour of our own, never a provider's logo. */
export interface Tile {
  readonly ground: string;
  /** SVG elements on a 40 by 40 grid, drawn in white lines. */
  readonly drawing: string;
}

/** One text that a provider issues to a merchant. */
export interface CredentialField {
  /** Its name in our API. */
  readonly name: string;
  /** Its name for people. */
  readonly label: string;
  /** It may be left out; the value the provider publishes for its sandbox then applies. */
  readonly optional?: true;
  /** It only identifies the merchant: it appears in forms and answers, and is not redacted there. */
  readonly identifies?: true;
  /** A private key as PEM text, which has several lines. */
  readonly pem?: true;
  /** The provider's own limit, where it is shorter than ours. */
  readonly charactersMax?: number;
}

/** The paths of both addresses below the provider's address in the simulator. */
export interface ApartAddresses {
  readonly calls: string;
  readonly pages: string;
  /** The address for browsers is the one that the form is posted to: nothing is added to it. */
  readonly isFormAddress?: true;
}

export type Approval = 'wallet' | 'bank' | 'code';

export interface ProviderTraits {
  /** The display name. */
  readonly label: string;
  readonly tile: Tile;
  /** How a buyer approves a payment; pages say it below the label. */
  readonly approval: Approval;
  /** Names of the settings for its live hosts, for our calls and for browsers; one name when both use the
   *  same host. */
  readonly liveHost: { readonly calls: string; readonly pages: string };
  /** Present: its calls and its pages are at two addresses, each a setting of its own that has no default. Absent: the
   *  adapter knows the paths of both below one address. */
  readonly apart?: ApartAddresses;
  /** What the provider issues to a merchant, in the order in which it is asked for. */
  readonly credentials: readonly CredentialField[];
  /** A checkout session may be paid with it. False: it is only for invoices. */
  readonly inCheckout: boolean;
  /** A plan or a subscription may prefer it: the pages of its invoices then show it first. */
  readonly inBilling: boolean;
  /** The provider of Direct-QR: a shop shows its codes on its own screen. One has this trait. */
  readonly directQr?: true;
  /** In paisa, both included: other amounts cannot be paid with it. Absent: any amount of ours. */
  readonly amounts?: { readonly min: number; readonly max: number };
  readonly wire: readonly WireTrait[];
  /** Faults that only its protocol can show. Those of several protocols are in
   *  actors/simulated-payment/fault-kinds.ts. */
  readonly faults: { readonly [kind: string]: FaultRule };
}

/** A fault that is counted in each call in which it appears. */
export const faultIn = (...calls: readonly SimulatedCall[]): FaultRule => ({
  calls,
  counts: 'taken',
  replaces: false,
});
