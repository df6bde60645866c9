/** Compact JWS (RFC 7515) with Ed25519 (RFC 8037), and the keys for it.
 *  Boundary: signs; whoever verifies uses a library of their own. */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { assert } from './assert.ts';

/** Both halves of a key as a JWK names them, base64url. */
export interface EdKeyPair {
  /** Public. */
  readonly x: string;
  /** Private. */
  readonly d: string;
}

export function newEdKeyPair(): EdKeyPair {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  assert(x !== undefined && d !== undefined, 'a private key has both halves');
  return { x, d };
}

export const edPrivateKey = ({ x, d }: EdKeyPair): KeyObject =>
  createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });

/** The payload's keys are signed in their order. */
export function compactJws(
  payload: object,
  { kid, key }: { readonly kid: string; readonly key: KeyObject },
): string {
  const signed = `${encoded({ alg: 'EdDSA', kid })}.${encoded(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
