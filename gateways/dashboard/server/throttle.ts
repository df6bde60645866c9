/** How often somebody may try to log in, on real time, over all nodes of a cluster: by account and network, by network,
 *  and by account.
 *  1. Only wrong passwords count for longer than they take: who was right, and who was sent away before anything was
 *     looked at, is given the try back.
 *  2. What one network does wrong keeps no other out: what it is refused counts for nobody else, and an account is
 *     closed to everybody only at a rate that no owner reaches.
 *  3. An account nobody has is counted like any other, so a limit tells nothing about who exists.
 *  4. It is never off: GALLA_RATE_LIMITS is for the limits of the API. */
import { networkOf } from '../../server/client-address.ts';
import { tighter } from '../../http/access/rate-limit.ts';
import { Buckets, type Verdict } from '../../http/access/buckets.ts';
import { distributeLimits, type Sharing } from '../../http/access/distributed-rate-limit.ts';
import type { Instant } from '../../../src/kernel/time.ts';

/** Wrong passwords for one account from one network before it has to wait ... */
export const triesPerPair = 10;
/** ... and how many more it gets. */
export const triesPerPairAndMinute = 2;
/** The same for one network, whichever accounts it tries. */
export const triesPerNetwork = 30;
export const triesPerNetworkAndMinute = 10;
/** Wrong passwords for one account from all networks together. */
export const triesPerAccountAndMinute = 1_000;
/** Pairs, networks and accounts that are remembered, of each; of too many the longest unused goes. */
const bucketsMax = 100_000;

export interface Throttle {
  /** Takes one try; when the verdict does not allow it, none was taken of the account. */
  attempt(account: string, ip: string): Verdict;
  /** The try was none, or not a wrong one: it does not count after all. */
  giveBack(account: string, ip: string): void;
}

export interface ThrottleOptions {
  /** Real time. */
  readonly now: () => Instant;
  /** How the nodes of a cluster hear of each other; null: this one is alone. */
  readonly sharing: Sharing | null;
}

export function createThrottle({ now, sharing }: ThrottleOptions): Throttle {
  const pairs = new Buckets(bucketsMax);
  const networks = new Buckets(bucketsMax);
  const accounts = new Buckets(bucketsMax);
  if (sharing !== null) distributeLimits(sharing, now, { pairs, networks, accounts }, 'login_tries');
  return {
    attempt(account, ip) {
      const network = networkOf(ip);
      const pair = pairOf(account, network);
      const byNetwork = networks.take(network, triesPerNetwork, triesPerNetworkAndMinute / 60, now());
      if (!byNetwork.allowed) return byNetwork;
      const byPair = pairs.take(pair, triesPerPair, triesPerPairAndMinute / 60, now());
      if (!byPair.allowed) return byPair;
      const byAccount = accounts.take(
        account,
        triesPerAccountAndMinute,
        triesPerAccountAndMinute / 60,
        now(),
      );
      // others have closed the account: nothing of this network was looked at
      if (!byAccount.allowed) pairs.giveBack(pair);
      return tighter(tighter(byNetwork, byPair), byAccount) ?? byAccount;
    },
    giveBack(account, ip) {
      const network = networkOf(ip);
      pairs.giveBack(pairOf(account, network));
      networks.giveBack(network);
      accounts.giveBack(account);
    },
  };
}

const pairOf = (account: string, network: string): string => `${account} ${network}`;
