import { describe, expect, test } from 'vitest';
import { clientAddressBehind, networkOf } from '../../../gateways/server/client-address.ts';

const addressOf = clientAddressBehind(['10.0.0.0/8', '192.168.1.7', 'fd00::/8']);

describe('the address of a client', () => {
  test('is what a trusted proxy sends', () => {
    expect(addressOf('10.1.2.3', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('192.168.1.7', '2001:db8::1')).toBe('2001:db8::1');
    expect(addressOf('fd00::5', '203.0.113.9')).toBe('203.0.113.9');
  });

  test('is that of the connection when its peer is not trusted, whatever it sends', () => {
    expect(addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(addressOf('192.168.1.8', '198.51.100.1')).toBe('192.168.1.8');
  });

  test('is never what the client sent before the proxy added its own', () => {
    expect(addressOf('10.1.2.3', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('10.1.2.3', '198.51.100.1, 203.0.113.9, 10.9.9.9')).toBe('203.0.113.9');
  });

  test('is the nearest certain one when the header is missing, broken or too long', () => {
    expect(addressOf('10.1.2.3', '')).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', 'unknown')).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', '203.0.113.9, _hidden, 10.9.9.9')).toBe('10.9.9.9');
    expect(addressOf('10.1.2.3', '203.0.113.9,'.repeat(1000))).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', `203.0.113.9, ${Array(9).fill('10.0.0.1').join(', ')}`)).toBe('10.0.0.1');
  });

  test('is read from IPv4 written as IPv6', () => {
    expect(addressOf('0000:0000:0000:0000:0000:ffff:0a01:0203', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('::ffff:10.1.2.3', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('::ffff:203.0.113.9', '198.51.100.1')).toBe('::ffff:203.0.113.9');
  });
});

describe('the network of an address', () => {
  test('is an IPv4 address itself, however it is written', () => {
    for (const address of [
      '10.1.2.3',
      '::ffff:10.1.2.3',
      '::FFFF:0a01:0203',
      '0000:0000:0000:0000:0000:ffff:0a01:0203',
    ])
      expect(networkOf(address)).toBe('10.1.2.3');
    expect(networkOf('0000:0000:0000:0000:0000:ffff:0a01:0204')).toBe('10.1.2.4');
  });

  test.each([
    ['2001:0db8:0000:0001:0000:0000:0000:0007', '2001:db8:0:1'],
    ['2001:DB8:0:1::7', '2001:db8:0:1'],
    ['2001:db8:0:1:a:b:c:d', '2001:db8:0:1'],
    ['2001:db8::1:0:0:0:7', '2001:db8:0:1'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['2001:db8::8', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1:2:3:4:5:10.1.2.3', '0:1:2:3'],
    ['64:ff9b::10.1.2.3', '64:ff9b:0:0'],
  ])('is for %s the part that one client may own: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('is the text itself for an invalid address', () => {
    for (const text of ['', 'unknown', 'a:b']) expect(networkOf(text)).toBe(text);
  });
});
