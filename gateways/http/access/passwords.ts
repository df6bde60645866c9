/** Passwords of the dashboard: from the typed text to the one text that is stored.
 *  1. Hashing (a third of a second of one core) runs on the thread pool, one at a time, with networks
 *     taking turns: the event loop never waits for it, and a flood of logins takes one core at most, no
 *     memory, and no other network's turn.
 *  2. Only passwords chosen by people are hashed slowly. Random ones cannot be guessed, however fast the
 *     hash.
 *  3. The salt is derived from the name and a key of the service's: an unknown name costs the same work as
 *     a known one, and whoever has only the store cannot try passwords. */
import { createHmac, scrypt } from 'node:crypto';
import { hmacSha256 } from '../../../src/kernel/hash.ts';
import { FairQueue } from './fair-queue.ts';

/** Logins that wait for their turn; the last of them waits ten seconds. */
export const loginsWaitingMax = 32;
/** Passwords that an operator sets; nobody else can fill this queue. */
export const settingsWaitingMax = 80;

/** 16 MiB and five rounds: as expensive for an attacker as one round in 64 MiB, with less memory for us. */
const cost = { N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;
const kind = 'scrypt-14-8-5';

export interface Passwords {
  /** Hash of a chosen password: `<kind>:<base64>`, the same for the same name and password; null while too
   *  many others are waiting. `network`: where it was typed, if known. */
  chosen(name: string, password: string, network?: string): Promise<string | null>;
  /** The same for a random one: 15 random bytes, or an operator's token. Synchronous. */
  drawn(name: string, password: string): string;
}

/** With its own queue. `secretsKey`: the service's; a password hashed under another key never matches
 *  again. */
export function openPasswords(secretsKey: Uint8Array, waitingMax: number): Passwords {
  const key = createHmac('sha256', secretsKey).update('dashboard passwords').digest();
  const line = new FairQueue(waitingMax);
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
