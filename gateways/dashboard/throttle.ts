/** How often somebody may try to log in: by account and by address, on real time, over all nodes of a cluster.
 *  1. Only wrong passwords count for longer than they take: who was right, and who was sent away before anything was
 *     looked at, is given the try back.
 *  2. An account nobody has is counted like any other, so a limit tells nothing about who exists.
 *  3. It is never off: GALLA_RATE_LIMITS is for the limits of the API. */
import { networkOf } from '../http/client-address.ts';
import { Buckets, tighter, type Verdict } from '../http/rate-limit.ts';
import { shareUse, type Sharing } from '../http/shared-use.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** Wrong passwords for one e-mail, from anywhere, before it has to wait ... */
export const triesPerAccount = 10;
/** ... and how many more it gets. */
export const triesPerAccountAndMinute = 2;
/** The same for one address, whichever e-mails it tries. */
export const triesPerAddress = 30;
export const triesPerAddressAndMinute = 10;
/** Accounts and addresses that are remembered; of too many the longest unused goes. */
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
  /** How the nodes of a cluster hear of each other; left out, this one is alone. */
  readonly sharing?: Sharing;
}

export function createThrottle({ now, sharing }: ThrottleOptions): Throttle {
  const accounts = new Buckets(bucketsMax);
  const addresses = new Buckets(bucketsMax);
  if (sharing !== undefined) shareUse(sharing, now, { accounts, addresses }, 'login_tries');
  return {
    attempt(account, ip) {
      const network = networkOf(ip);
      const byAddress = addresses.take(network, triesPerAddress, triesPerAddressAndMinute / 60, now());
      if (!byAddress.allowed) return byAddress;
      const byAccount = accounts.take(account, triesPerAccount, triesPerAccountAndMinute / 60, now());
      return tighter(byAddress, byAccount) ?? byAccount;
    },
    giveBack(account, ip) {
      accounts.giveBack(account);
      addresses.giveBack(networkOf(ip));
    },
  };
}
