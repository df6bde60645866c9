/** Secrets at rest: AES-256-GCM with associated data, so that a sealed text can be decrypted only for its
 *  owner.
 *  Boundary: texts in and out; callers decide who has the key and what is a secret.
 *  1. A text sealed for one owner never decrypts for another.
 *  2. A changed text never decrypts. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { assert } from './assert.ts';

export interface Seal {
  /** `s1.` + base64url of nonce, ciphertext and tag. `about` names the owner of the secret and is needed
   *  again to decrypt it. */
  seal(plain: string, about: string): string;
  /** Throws SealBroken for a text that was changed, belongs to another owner, or has another key. */
  open(sealed: string, about: string): string;
}

/** A sealed text cannot be decrypted: a wrong key, a changed store, or a secret moved to another owner. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const mark = 's1.';

/** Seals with one 32-byte key (GALLA_SECRETS_KEY). */
export function sealWith(key: Uint8Array): Seal {
  assert(key.length === keyBytes, 'a sealing key has 32 bytes');
  return {
    seal(plain, about) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const hidden = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return mark + Buffer.concat([nonce, hidden, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed.slice(mark.length), 'base64url');
      const isSealed = sealed.startsWith(mark) && bytes.length >= nonceBytes + tagBytes;
      if (!isSealed) throw new SealBroken('not a sealed text');
      const nonce = bytes.subarray(0, nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(about))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        const plain = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SealBroken('this text does not open here', { cause });
      }
    },
  };
}
