/** Resolves host names chosen by merchants. The system's resolver blocks one of few threads while a slow
 *  name server makes it wait, and calls to providers need the same threads. So names are queried over DNS
 *  directly, and only names unknown to DNS (the hosts file) go to the system, one at a time.
 *  1. A slow name server delays only the names it serves. */
import { lookup, Resolver } from 'node:dns/promises';
import { seconds } from '../kernel/time.ts';

/** All addresses of a name, IPv4 first; rejects with a `code` such as ENOTFOUND when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const dnsTryMsMax = seconds(2);
const dnsTriesMax = 2;
/** Names waiting for the system's resolver; further ones are rejected for a later retry. */
const systemLookupsWaitingMax = 16;

/** The resolver of this machine: its name servers first (or those that are given), then the system's own resolver. */
export function systemResolver(nameServers?: readonly string[]): Resolve {
  const dns = new Resolver({ timeout: dnsTryMsMax, tries: dnsTriesMax });
  if (nameServers !== undefined) dns.setServers(nameServers);
  const bySystem = queued((hostname: string) => lookup(hostname, { all: true }), systemLookupsWaitingMax);
  return async (hostname) => {
    const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return addresses.length > 0 ? addresses : (await bySystem(hostname)).map(({ address }) => address);
  };
}

type Work<In, Out> = (input: In) => Promise<Out>;

/** One call at a time; beyond `waitingMax` they reject at once. */
function queued<In, Out>(work: Work<In, Out>, waitingMax: number): Work<In, Out> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    if (waiting >= waitingMax) {
      return Promise.reject(Object.assign(new Error('too many look-ups'), { code: 'EAI_AGAIN' }));
    }
    waiting++;
    const mine = last.then(() => work(input)).finally(() => waiting--);
    last = mine.catch(() => undefined);
    return mine;
  };
}
