import { compactVerify, importJWK } from 'jose';
import { expect, test } from 'vitest';
import { compactJws, edPrivateKey, newEdKeyPair } from '../../../src/kernel/jws.ts';

/** The key of RFC 8032, section 7.1, test 1: everybody knows its seed. */
const known = {
  d: Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex').toString(
    'base64url',
  ),
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

test('a receipt is the compact JWS that the published vector says', async () => {
  const payload = { paymentId: 'pay_4t8z1m6q3x9k2v7b', amount: 125_050, currency: 'NPR', status: 'success' };
  const jws = compactJws(payload, { kid: 'rk_1', key: edPrivateKey(known) });
  expect(jws).toBe(
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJrXzEifQ.eyJwYXltZW50SWQiOiJwYXlfNHQ4ejFtNnEzeDlrMnY3YiIsImFtb3VudCI6MTI1MDUwLCJjdXJyZW5jeSI6Ik5QUiIsInN0YXR1cyI6InN1Y2Nlc3MifQ.SF_E3kaxB2OL-F5YwH6JM-LFQ4Z65kp4LMM8eFR8-un88lVyk5T04MukwOvPCgqs_phrNT94Oh6QD12wTyx4BA',
  );
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: known.x, alg: 'EdDSA' });
  expect((await compactVerify(jws, key)).protectedHeader).toEqual({ alg: 'EdDSA', kid: 'rk_1' });
});

test('each new key is another, and verifies what it signed and nothing else', async () => {
  const [one, other] = [newEdKeyPair(), newEdKeyPair()];
  expect(one.x).not.toBe(other.x);
  const jws = compactJws({ text: 'नमस्ते' }, { kid: 'k', key: edPrivateKey(one) });
  const publicOf = (x: string) => importJWK({ kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA' });
  const { payload } = await compactVerify(jws, await publicOf(one.x));
  expect(new TextDecoder().decode(payload)).toBe('{"text":"नमस्ते"}');
  await expect(compactVerify(jws, await publicOf(other.x))).rejects.toThrow('signature');
});
