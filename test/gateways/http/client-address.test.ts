import { describe, expect, test } from 'vitest';
import { clientAddressBehind } from '../../../gateways/http/client-address.ts';

const addressOf = clientAddressBehind(['10.0.0.0/8', '192.168.1.7', 'fd00::/8']);

describe('the address of a client', () => {
  test('is what a trusted proxy says', () => {
    expect(addressOf('10.1.2.3', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('192.168.1.7', '2001:db8::1')).toBe('2001:db8::1');
    expect(addressOf('fd00::5', '203.0.113.9')).toBe('203.0.113.9');
  });

  test('is that of the connection when its other end is not trusted, whatever it says', () => {
    expect(addressOf('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(addressOf('192.168.1.8', '198.51.100.1')).toBe('192.168.1.8');
  });

  test('is never what the client wrote before the proxy added its own', () => {
    expect(addressOf('10.1.2.3', '198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('10.1.2.3', '198.51.100.1, 203.0.113.9, 10.9.9.9')).toBe('203.0.113.9');
  });

  test('is the nearest known for certain when the header is missing, broken or endless', () => {
    expect(addressOf('10.1.2.3', '')).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', 'unknown')).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', '203.0.113.9, _hidden, 10.9.9.9')).toBe('10.9.9.9');
    expect(addressOf('10.1.2.3', '203.0.113.9,'.repeat(1000))).toBe('10.1.2.3');
    expect(addressOf('10.1.2.3', `203.0.113.9, ${Array(9).fill('10.0.0.1').join(', ')}`)).toBe('10.0.0.1');
  });

  test('is read from IPv4 that a socket writes as IPv6', () => {
    expect(addressOf('0000:0000:0000:0000:0000:ffff:0a01:0203', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('::ffff:10.1.2.3', '203.0.113.9')).toBe('203.0.113.9');
    expect(addressOf('::ffff:203.0.113.9', '198.51.100.1')).toBe('::ffff:203.0.113.9');
  });
});
