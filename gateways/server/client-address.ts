/** The client's address: the address of the connection or, behind a proxy that the operator trusts, the
 *  forwarded one. Also: which addresses count as one visitor.
 *  1. `X-Forwarded-For` is read from its end, and only the part that trusted proxies wrote: whatever a
 *     client puts at its beginning is ignored.
 *  2. Reading stops at a value that cannot be parsed: the nearest address known for certain counts.
 *  3. Every spelling of an address maps to the same network text: limits cannot be bypassed by another
 *     spelling. */
import { BlockList, isIP } from 'node:net';

/** Trusted proxy hops that are followed. */
const hopsMax = 8;
/** A longer header cannot come from a trusted proxy. */
const forwardedCharsMax = 2048;
/** 16-bit groups: in an IPv6 address, and in its network part. */
const groupsOfAddress = 8;
const groupsOfNetwork = 4;

/** The client's address, from the connection's address and the `X-Forwarded-For` header ('' when there is
 *  none). */
export type ClientAddress = (connection: string, forwardedFor: string) => string;

/** `trusted`: addresses and networks (`10.0.0.0/8`), already validated by settings. */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const each of trusted) {
    const [address = '', bits] = each.split('/');
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  const isProxy = (address: string): boolean => proxies.check(address, familyOf(address));
  return (connection, forwardedFor) => {
    let nearest = plain(connection);
    if (forwardedFor === '' || forwardedFor.length > forwardedCharsMax || !isProxy(nearest))
      return connection;
    const hops = forwardedFor.split(',').slice(-hopsMax).reverse();
    for (const hop of hops) {
      const address = plain(hop.trim());
      if (isIP(address) === 0) return nearest;
      nearest = address;
      if (!isProxy(address)) return nearest;
    }
    return nearest;
  };
}

/** The key that rate limits count an address by: IPv4 counts as itself, also when written as IPv6; IPv6
 *  counts by its /64, which one visitor may own as a whole. A text that is no address counts as itself. */
export function networkOf(address: string): string {
  const own = plain(address);
  if (isIP(own) !== 6) return own;
  const [head = '', tail] = own.split('::');
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const left = Array<string>(Math.max(0, groupsOfAddress - before.length - after.length)).fill('0');
  return [...before, ...left, ...after]
    .slice(0, groupsOfNetwork)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** A trailing IPv4 part stands for two groups, neither of them in the network part. */
const groupsOf = (part: string): readonly string[] =>
  part === '' ? [] : part.replace(/\d+(?:\.\d+){3}$/, '0:0').split(':');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const mapped = /^(?:0{1,4}(?::0{1,4}){4}|:):ffff:/i;
const hexPairs = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

/** Plain IPv4, also when the socket reports it as IPv6 (`::ffff:10.0.0.1`, or in eight groups). */
function plain(address: string): string {
  const rest = address.replace(mapped, '');
  if (rest === address) return address;
  if (isIP(rest) === 4) return rest;
  const [, high, low] = hexPairs.exec(rest) ?? [];
  if (high === undefined || low === undefined) return address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
}
