/** Whose request it is: the address of the connection, or, behind a proxy the operator trusts, the one it forwards; and
 *  which addresses are one visitor's.
 *  1. `X-Forwarded-For` is read from its end, and only as far as trusted proxies wrote it: what a client puts at its
 *     beginning counts for nothing.
 *  2. What cannot be read ends the reading: then the nearest address known for certain counts.
 *  3. However an address is written, its network is one text: limits cannot be dodged by another spelling. */
import { BlockList, isIP } from 'node:net';

/** Hops of trusted proxies that are followed. */
const hopsMax = 8;
/** A longer header is nobody's whom we would trust. */
const forwardedCharsMax = 2048;
/** Groups of 16 bits: of an IPv6 address, and of the network in it. */
const groupsOfAddress = 8;
const groupsOfNetwork = 4;

/** The client's address from the connection's and the header `X-Forwarded-For`, '' when there is none. */
export type ClientAddress = (connection: string, forwardedFor: string) => string;

/** `trusted`: addresses and networks (`10.0.0.0/8`) as settings check them. */
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

/** What limits count an address as: IPv4 is itself, also where it is written as IPv6; of IPv6 it is the /64, which one
 *  visitor may own as a whole. What is no address is itself. */
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

/** IPv4 at the end stands for two groups, none of them of the network. */
const groupsOf = (part: string): readonly string[] =>
  part === '' ? [] : part.replace(/\d+(?:\.\d+){3}$/, '0:0').split(':');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const mapped = /^(?:0{1,4}(?::0{1,4}){4}|:):ffff:/i;
const hexPairs = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

/** IPv4 as such, though the socket says it in IPv6 (`::ffff:10.0.0.1`, or in eight groups). */
function plain(address: string): string {
  const rest = address.replace(mapped, '');
  if (rest === address) return address;
  if (isIP(rest) === 4) return rest;
  const [, high, low] = hexPairs.exec(rest) ?? [];
  if (high === undefined || low === undefined) return address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`;
}
