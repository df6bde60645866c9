/** Names of the local machine, as settings, URLs and Host headers write them. */
import { isIPv4 } from 'node:net';

/** Whether `host` (no port; IPv6 with or without brackets) can only be this machine. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}
