/** SSRF protection: merchants' addresses can reach only the public internet.
 *  1. An address is allowed only if it is known to be public; all addresses of a name must be.
 *  2. The connection goes to exactly the address that was checked; the name is still used for TLS and Host.
 *  3. The check at save time is only for early feedback; the check at connect time decides. */
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { Resolve } from './resolve.ts';

export interface Guard {
  readonly resolve: Resolve;
  /** Whether we may connect to an address (text of an IPv4 or IPv6 address). */
  readonly allowed: (address: string) => boolean;
}

/** Why a URL cannot be saved; null = it can. Field codes of docs/reference/errors.md, with the end of their
 *  message. */
export type UrlProblem = {
  readonly code: 'invalid_format' | 'url_not_allowed';
  readonly form: string;
} | null;

/** Where a URL is to be used: live needs https; `allowPrivate` lifts the address rules, in sandbox only. */
export interface UrlUse {
  readonly live: boolean;
  readonly allowPrivate: boolean;
}

/** Checks a webhook URL as it is saved. */
export function urlProblem(text: string, { live, allowPrivate }: UrlUse): UrlProblem {
  const url = urlIn(text);
  if (url === null) return { code: 'invalid_format', form: 'an http or https URL' };
  if (url.protocol !== 'https:' && (live || url.protocol !== 'http:'))
    return notAllowed(live ? 'in live it must be https' : 'it must be http or https');
  if (url.username !== '' || url.password !== '') return notAllowed('it must not hold a user or a password');
  if (!portAllowed(url.port)) return notAllowed('its port must be 80, 443 or at least 1024');
  if (hostAllowed(url.hostname) || (allowPrivate && !live)) return null;
  return notAllowed(live ? privateHost : `${privateHost} without WEBHOOK_ALLOW_PRIVATE_HOSTS=on`);
}

const privateHost = 'a host in a private network is not called';
const notAllowed = (form: string) => ({ code: 'url_not_allowed', form }) as const;

/** The maximum length of a host name. Converting a name in another script to ASCII takes time quadratic in
 *  its length. */
const authorityCharactersMax = 512;

/** An absolute URL, `scheme://host...`; null for anything else. The URL parser accepts spaces, tabs and a
 *  wrong number of slashes; a saved address should not contain them. */
export function urlIn(text: string): URL | null {
  const begun = /^(?!https?:\/{3})[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text);
  if (begun === null || (begun[1] ?? '').length > authorityCharactersMax) return null;
  return !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text) ? new URL(text) : null;
}

const portAllowed = (port: string): boolean =>
  port === '' || port === '80' || port === '443' || (Number(port) >= 1024 && Number(port) <= 65_535);

/** `hostname` as normalised by the URL parser: integers, octal and hexadecimal forms are dotted IPv4 here. */
function hostAllowed(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  return isIP(host) === 0 || isPublicAddress(host);
}

/** Whether an address is global unicast and not reserved for a special purpose. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialV4.check(address, 'ipv4');
    case 6:
      // a zone (`%eth0`) names a local link; mapped, NAT64, unique local and similar addresses are outside
      // 2000::/3
      return !address.includes('%') && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
    default:
      return false;
  }
}

function subnets(family: 'ipv4' | 'ipv6', list: readonly string[]): BlockList {
  const block = new BlockList();
  for (const subnet of list) {
    const [net = '', prefix = ''] = subnet.split('/');
    block.addSubnet(net, Number(prefix), family);
  }
  return block;
}

/** IANA's special-purpose registry, multicast, and the reserved remainder. */
const specialV4 = subnets('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16', // private
  '100.64.0.0/10', // carrier NAT; a cloud's metadata lives here too
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; most clouds' metadata
  '168.63.129.16/32', // a cloud's own services on a public-looking address
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.175.48.0/24', // protocol assignments, AS112, AMT
  '192.88.99.0/24', // 6to4 relays
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24', // documentation
  '198.18.0.0/15', // benchmarks
  '224.0.0.0/4',
  '240.0.0.0/4', // multicast, reserved, broadcast
]);
const globalV6 = subnets('ipv6', ['2000::/3']);
const specialV6 = subnets('ipv6', [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32',
  '3fff::/20', // documentation
  '2002::/16', // 6to4: an IPv4 address in disguise
  '2620:4f:8000::/48', // AS112
]);

/** An address the guard does not let us connect to. */
class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

/** Connects only to checked addresses; everything else is undici's own connector. */
export function guardedConnector(
  guard: Guard,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: checkedLookup(guard) });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // an IP address in the URL is connected to without a look-up
    if (isIP(host) === 0 || guard.allowed(host)) connect(target, callback);
    else queueMicrotask(() => callback(new AddressNotAllowed('the URL names a forbidden address'), null));
  };
}

/** The maximum number of addresses of one name that are passed on, after all were checked. */
export const addressesPerNameMax = 8;

/** The look-up of a connection: `net.connect` uses only the addresses it returns. */
function checkedLookup({ resolve, allowed }: Guard): LookupFunction {
  const checked = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (!addresses.every(allowed)) throw new AddressNotAllowed('the name has a forbidden address');
    const tried = addresses.slice(0, addressesPerNameMax);
    const found = tried.map((address) => ({ address, family: isIP(address) }));
    const first = found[0];
    if (first === undefined) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    return { first, found };
  });
  return (hostname, { all }, callback) =>
    checked(hostname, (failed, answer) => {
      if (failed !== null) callback(failed, '');
      else if (all === true) callback(null, answer.found);
      else callback(null, answer.first.address, answer.first.family);
    });
}
