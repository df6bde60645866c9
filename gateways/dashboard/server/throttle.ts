/** Limits login attempts, on real time, over all nodes of a cluster: by account and network, by network,
 *  and by account.
 *  1. Only wrong passwords stay counted: a correct login, and an attempt refused before any check, give the
 *     try back.
 *  2. One network's failures lock no other out: its refused attempts do not count for others, and an
 *     account is closed to everyone only at a rate that no owner reaches.
 *  3. An unknown account is counted like any other, so a limit does not reveal which accounts exist.
 *  4. It is never off: GALLA_RATE_LIMITS applies to the limits of the API. */
import { networkOf } from '../../server/client-address.ts';
import { tighter } from '../../http/access/rate-limit.ts';
import { Buckets, type Verdict } from '../../http/access/buckets.ts';
import { distributeLimits, type Sharing } from '../../http/access/distributed-rate-limit.ts';
import type { Instant } from '../../../src/kernel/time.ts';

/** Wrong passwords for one account from one network before it must wait ... */
export const triesPerPair = 10;
/** ... and the rate of further tries. */
export const triesPerPairAndMinute = 2;
/** The same for one network, whichever accounts it tries. */
export const triesPerNetwork = 30;
export const triesPerNetworkAndMinute = 10;
/** Wrong passwords for one account from all networks together. */
export const triesPerAccountAndMinute = 1_000;
/** Pairs, networks and accounts kept, of each; beyond that the least recently used is evicted. */
const bucketsMax = 100_000;

export interface Throttle {
  /** Takes one try; when the verdict does not allow it, nothing is taken from the account. */
  attempt(account: string, ip: string): Verdict;
  /** Gives the try back: it was not checked, or the password was correct. */
  giveBack(account: string, ip: string): void;
}

export interface ThrottleOptions {
  /** Real time. */
  readonly now: () => Instant;
  /** Connection between the nodes of a cluster; null: single node. */
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
      // others have closed the account: this network's try was not checked
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
