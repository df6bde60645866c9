/** bank_a's signatures: SHA256withRSA in base64, made on the thread pool.
 *  1. The event loop never signs: with a key of 2048 bits that is a millisecond, with 4096 bits five. Reading
 *     the PEM is a third of a millisecond, and is done once for each of the keys used last.
 *  2. At most two are made at once, because the pool's four threads serve files and passwords, too. How many
 *     can wait is bounded by the calls to providers that may be under way. */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { remembering } from '../../kernel/remembering.ts';
import { Semaphore } from '../../kernel/semaphore.ts';

const keysMax = 100;

const semaphore = new Semaphore(2);

/** null: no RSA key. */
const keyOf = remembering((pem: string): KeyObject | null => {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key : null;
  } catch {
    // a text that only looks like a key: the caller reports it
    return null;
  }
}, keysMax);

/** null: `pem` is no RSA key. */
export async function rsaSignature(pem: string, text: string): Promise<string | null> {
  const key = keyOf(pem);
  return key === null ? null : semaphore.pass(() => signed(key, text));
}

const signed = (key: KeyObject, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    sign('RSA-SHA256', Buffer.from(text, 'utf8'), key, (error, signature) => {
      if (error === null) resolve(signature.toString('base64'));
      else reject(error);
    });
  });
