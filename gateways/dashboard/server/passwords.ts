/** Passwords of the dashboard: from what somebody typed to the one text that is kept of it.
 *  1. The work (a third of a second of one core) is done on the thread pool, one after the other, networks by turns:
 *     the event loop never waits for it, and a flood of logins takes one core at most, no memory, and no other's turn.
 *  2. Only what a person thought of is worth that work. What was drawn at random cannot be guessed, however fast.
 *  3. The salt is drawn from the name and a key of the service's: a name nobody has costs the same work as one somebody
 *     has, and who has the store alone cannot try passwords. */
import { createHmac, scrypt } from 'node:crypto';
import { hmacSha256 } from '../../../src/kernel/hash.ts';
import { FairLine } from './fair-line.ts';

/** Logins that wait for their turn; the last of them waits ten seconds. */
export const loginsWaitingMax = 32;
/** Passwords an operator sets; nobody else can fill this line. */
export const settingsWaitingMax = 80;

/** 16 MiB and five rounds: what costs an attacker as much as one round in 64 MiB, and us less memory. */
const cost = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;
const kind = 'scrypt-14-8-5';

export interface Passwords {
  /** Of a chosen password: `<kind>:<base64>`, the same for the same name and password; null while too many others are
   *  waiting. `network`: where it was typed, if that is anywhere. */
  chosen(name: string, password: string, network?: string): Promise<string | null>;
  /** The same of a drawn one: 15 random bytes, or an operator's token. At once. */
  drawn(name: string, password: string): string;
}

/** A line of its own. `secretsKey`: the service's; a password hashed under another one never matches again. */
export function openPasswords(secretsKey: Uint8Array, waitingMax: number): Passwords {
  const key = createHmac('sha256', secretsKey).update('dashboard passwords').digest();
  const line = new FairLine(waitingMax);
  return {
    drawn: (name, password) => `drawn:${hmacSha256(key, JSON.stringify([name, password]), 'base64')}`,
    async chosen(name, password, network = '') {
      const leave = await line.enter(network);
      if (leave === null) return null;
      return hashed(password, createHmac('sha256', key).update(name).digest()).finally(leave);
    },
  };
}

/** The same letters typed on another keyboard are the same password. */
const hashed = (password: string, salt: Uint8Array): Promise<string> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, cost, (error, hash) => {
      if (error === null) resolve(`${kind}:${hash.toString('base64')}`);
      else reject(error);
    });
  });
