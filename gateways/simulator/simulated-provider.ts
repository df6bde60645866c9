/** The interface of a simulated provider: one value per folder, listed in simulated.ts.
 *  Boundary: types. */
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import type { Html } from '../pages/html.ts';
import type { Door } from '../server/door.ts';
import type { SocketApp } from '../server/framing.ts';
import type { Press } from '../../actors/simulated-payment/outcome-table.ts';
import type { Known, PlayDeps } from './payments.ts';
import type { Wallet } from './wallet.ts';

export interface SimulatedProvider {
  /** Its API, and its page unless that is a wallet's. */
  readonly doors: (deps: PlayDeps) => readonly Door[];
  /** Omitted where it has no sockets. */
  readonly mountSockets?: (deps: PlayDeps, app: SocketApp) => void;
  readonly buyersPayBy: Wallet | Phone;
  /** The page of its app, where payments in the app are made; omitted where it has none. */
  readonly app?: Wallet;
  /** What its server calls ours with. Omitted where it does not. */
  readonly callback?: (known: Known, faults: readonly Fault[]) => ServerCall;
}

/** One POST of JSON. */
export interface ServerCall {
  readonly body: string;
  readonly headers: { readonly [name: string]: string };
}

/** A device that scans a code: a page of the provider's own. */
export interface Phone {
  readonly is: 'phone';
  /** Its part of the page /sim. */
  readonly home: Html;
  /** Presses a button on the buyer's behalf. `poor`: a decline because of insufficient funds. False: the
   *  payment can no longer reach that state. */
  play(deps: PlayDeps, known: Known, press: Press, poor: boolean): Promise<boolean>;
}
