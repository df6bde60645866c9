import { expect, test } from 'vitest';
import { SealBroken, sealWith } from '../../../src/kernel/seal.ts';

const key = Buffer.alloc(32, 7);
const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3 ✓';

test('a sealed text opens with the same key and associated data', () => {
  const seal = sealWith(key);
  expect(seal.open(seal.seal(secret, 'we_1'), 'we_1')).toBe(secret);
  expect(seal.open(seal.seal('', 'we_1'), 'we_1')).toBe('');
});

test('a sealed text reveals nothing of the secret and is different each time', () => {
  const seal = sealWith(key);
  const [one, two] = [seal.seal(secret, 'we_1'), seal.seal(secret, 'we_1')];
  expect(one).not.toBe(two);
  expect(one).not.toContain('whsec');
  expect(Buffer.from(one.slice(3), 'base64url').includes('MDEyMzQ1')).toBe(false);
});

test('a secret moved to another owner does not open', () => {
  const seal = sealWith(key);
  const sealed = seal.seal(secret, 'prj_1 wallet_b sandbox');
  expect(() => seal.open(sealed, 'prj_1 wallet_b live')).toThrow(SealBroken);
});

test('another key does not open it', () => {
  const sealed = sealWith(key).seal(secret, 'we_1');
  expect(() => sealWith(Buffer.alloc(32, 8)).open(sealed, 'we_1')).toThrow(SealBroken);
});

test('every single changed bit is detected', () => {
  const seal = sealWith(key);
  const bytes = Buffer.from(seal.seal('secret', 'we_1').slice(3), 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => seal.open(`s1.${changed.toString('base64url')}`, 'we_1')).toThrow(SealBroken);
  }
});

test.each(['', 's1.', 's1.AAAA', secret, 's2.AAAA'])('"%s" is no sealed text', (text) => {
  expect(() => sealWith(key).open(text, 'we_1')).toThrow(SealBroken);
});

test('a key of another length is a defect and throws', () => {
  expect(() => sealWith(Buffer.alloc(16))).toThrow('32 bytes');
});
