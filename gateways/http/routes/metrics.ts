/** GET /metrics: numbers in Prometheus' text format.
 *  1. A scraper on this machine or in its private network reads them freely. A client from elsewhere, or
 *     behind a proxy, must send the operator's token.
 *  2. They hold no id and no name of a merchant, buyer or key. */
import { BlockList, isIP } from 'node:net';
import type { Metrics } from '../../../src/telemetry/metrics.ts';
import type { Door, DoorRequest } from '../../server/door.ts';
import { isAdmitted, type Gate } from '../access/gate.ts';

/** Headers that proxies add: with one of them, the address we see is not the client's. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

export const metricsDoor = (gate: Gate, metrics: Pick<Metrics, 'text' | 'contentType'>): Door => ({
  method: 'GET',
  path: '/metrics',
  lateHeaders: [],
  always: true,
  async handle(request) {
    if (!isLocalNetwork(request)) {
      const admitted = await gate.admit(request, { key: 'operator', method: 'GET' });
      if (!isAdmitted(admitted)) return admitted;
    }
    return { status: 200, headers: { 'Content-Type': metrics.contentType }, body: await metrics.text() };
  },
});

const localNetworks = new BlockList();
for (const [net, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  localNetworks.addSubnet(net, prefix, 'ipv4');
}
localNetworks.addAddress('::1', 'ipv6');
localNetworks.addSubnet('fc00::', 7, 'ipv6');
localNetworks.addSubnet('fe80::', 10, 'ipv6');

function isLocalNetwork(request: DoorRequest): boolean {
  const family = isIP(request.ip);
  if (family === 0 || proxyHeaders.some((name) => request.header(name) !== '')) return false;
  return localNetworks.check(request.ip, family === 4 ? 'ipv4' : 'ipv6');
}
