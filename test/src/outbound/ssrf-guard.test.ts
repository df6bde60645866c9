import { createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openHttp, type HttpResult } from '../../../src/outbound/http.ts';
import { systemResolver, type Resolve } from '../../../src/outbound/resolve.ts';
import {
  addressesPerNameMax,
  isPublicAddress,
  urlProblem,
  type Guard,
} from '../../../src/outbound/ssrf-guard.ts';
import { httpServer, tcpServer } from './servers.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:200::1',
  '2a00:1450:4001::1',
  '2400:cb00::1',
])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['this network', '0.0.0.0', '0.1.2.3'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ['carrier NAT', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
  ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0'],
  ['metadata of clouds', '169.254.169.254', '168.63.129.16', 'fd00:ec2::254'],
  ['protocol assignments', '192.0.0.1', '192.0.0.192', '192.88.99.1', '2001:2::1', '2001:20::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '::', '100::1', '4000::1', '5f00::1', '::2'],
  [
    'IPv4 in IPv6',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '0:0:0:0:0:ffff:a00:1',
  ],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b:1::1'],
  ['6to4', '2002:7f00:1::1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['unique local', 'fc00::1', 'fdff::1'],
  ['site-local', 'fec0::1'],
  ['no address at all', '', 'localhost', '127.1', '2130706433', '8.8.8.8 ', '[::1]'],
])('%s is not public', (_kind, ...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

const live = { live: true, allowPrivate: true };
const sandbox = { live: false, allowPrivate: false };
const lenient = { live: false, allowPrivate: true };

test.each([
  'https://shop.example/hooks',
  'https://shop.example:8443/hooks?token=a#b',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://shop.example:80/',
  'https://shop.example:65535/',
  'https://shop.example:1024/',
  'HTTPS://SHOP.EXAMPLE/',
  'https://दुकान.example/',
  'https://localhost.example/',
])('%s may be saved in live and sandbox', (url) => {
  expect(urlProblem(url, live)).toBeNull();
  expect(urlProblem(url, sandbox)).toBeNull();
});

test('plain http may be saved in sandbox only', () => {
  expect(urlProblem('http://shop.example/', sandbox)).toBeNull();
  expect(urlProblem('http://shop.example/', live)).toMatchObject({ code: 'url_not_allowed' });
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://0/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://3232235777/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[fd00:ec2::254]/',
  'https://[64:ff9b::7f00:1]/',
  'https://localhost/',
  'https://LOCALHOST:8443/',
  'https://localhost./',
  'https://api.localhost/',
  'https://１２７.０.０.１/',
])(
  '%s names no public address: refused in live, and in sandbox unless the deployment lifts the rule',
  (url) => {
    expect(urlProblem(url, live)).toMatchObject({ code: 'url_not_allowed' });
    expect(urlProblem(url, sandbox)).toMatchObject({ code: 'url_not_allowed' });
    expect(urlProblem(url, lenient)).toBeNull();
  },
);

test.each([
  'https://user:pass@shop.example/',
  'https://user@shop.example/',
  'https://:pass@shop.example/',
  'ftp://shop.example/',
  'file:///etc/passwd',
  'gopher://shop.example/',
  'https://shop.example:22/',
  'https://shop.example:1/',
  'https://shop.example:1023/',
  'https://shop.example:0/',
  'ws://shop.example/',
])('%s is refused everywhere', (url) => {
  for (const where of [live, sandbox, lenient])
    expect(urlProblem(url, where)).toMatchObject({ code: 'url_not_allowed' });
});

test.each([
  '',
  'shop.example',
  '/hooks',
  'https:shop.example',
  'https:/shop.example',
  'https:///shop.example',
  'https:///',
  'https://shop.example:99999/',
  'https://shop example/',
  ' https://shop.example/',
  'https://shop.example/\n',
  'https://shop\t.example/',
  'https:\\\\shop.example',
  'https://[::1',
  'https://[fe80::1%25eth0]/',
  'https://256.0.0.1/',
  'javascript:alert(1)',
])('"%s" is not a URL', (url) => {
  expect(urlProblem(url, lenient)).toMatchObject({ code: 'invalid_format' });
});

const anywhere: Guard = { resolve: () => Promise.resolve(['127.0.0.1']), allowed: () => true };

async function get(guard: Guard, url: string): Promise<HttpResult> {
  const http = openHttp({ guard });
  onTestFinished(() => http.close());
  return http.send({ method: 'GET', url, headers: {}, timeoutMs: 2000, answerBytesMax: 2048 });
}

const refused = { is: 'unanswered', reason: 'address not allowed' };

test('a name that resolves to a loopback address is never connected to', async () => {
  let connected = 0;
  const port = await tcpServer(() => connected++);
  const names: Resolve[] = [
    () => Promise.resolve(['127.0.0.1']),
    () => Promise.resolve(['93.184.216.34', '127.0.0.1']),
    () => Promise.resolve(['::ffff:127.0.0.1']),
    systemResolver(),
  ];
  for (const resolve of names) {
    expect(await get({ resolve, allowed: isPublicAddress }, `http://localhost:${port}/`)).toMatchObject(
      refused,
    );
  }
  expect(connected).toBe(0);
});

test('an IP address in the URL is checked too, although no name is resolved', async () => {
  let connected = 0;
  const port = await tcpServer(() => connected++);
  const resolve: Resolve = () => Promise.reject(new Error('never asked'));
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]']) {
    expect(await get({ resolve, allowed: isPublicAddress }, `http://${host}:${port}/`)).toMatchObject(
      refused,
    );
  }
  expect(connected).toBe(0);
});

test('a name that resolves differently between check and connection has no effect: it is resolved once', async () => {
  let asked = 0;
  const port = await httpServer((_request, response) => void response.end('here'));
  const resolve: Resolve = () => Promise.resolve([asked++ === 0 ? '127.0.0.1' : '127.0.0.2']);
  const firstOnly: Guard = { resolve, allowed: (address) => address === '127.0.0.1' };
  const answer = await get(firstOnly, `http://shop.example:${port}/`);
  expect(answer).toMatchObject({ is: 'answered', status: 200 });
  expect(asked).toBe(1);
});

test('the connection goes to the checked address and keeps the name for Host', async () => {
  const port = await httpServer((request, response) => void response.end(request.headers.host));
  const answer = await get(anywhere, `http://shop.example:${port}/`);
  expect(answer.is === 'answered' ? answer.body.toString() : answer.reason).toBe(`shop.example:${port}`);
});

test('the name is kept for TLS', async () => {
  const names: string[] = [];
  const server = createServer({
    SNICallback: (name, callback) => {
      names.push(name);
      callback(new Error('no certificate here'));
    },
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answer = await get(anywhere, `https://shop.example:${port}/`);
  expect(answer.is).toBe('unanswered');
  expect(names).toEqual(['shop.example']);
});

test('all addresses of a name are checked, also those beyond the ones we would try', async () => {
  const many = Array.from({ length: addressesPerNameMax }, (_, i) => `8.8.8.${i + 1}`);
  const resolve: Resolve = () => Promise.resolve([...many, '10.0.0.1']);
  expect(await get({ resolve, allowed: isPublicAddress }, 'http://shop.example:9/')).toMatchObject(refused);
});

test('a name without addresses and a failed resolution are reported in words', async () => {
  const none = await get({ resolve: () => Promise.resolve([]), allowed: () => true }, 'http://shop.example/');
  expect(none).toMatchObject({ is: 'unanswered', reason: 'name not found' });
  const failing: Resolve = () => Promise.reject(Object.assign(new Error('servfail'), { code: 'EAI_AGAIN' }));
  const unsure = await get({ resolve: failing, allowed: () => true }, 'http://shop.example/');
  expect(unsure).toMatchObject({ is: 'unanswered', reason: 'name look-up failed' });
});

test('a name in the hosts file is found by the system resolver', async () => {
  const addresses = await systemResolver()('localhost');
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((address) => !/^(127\.0\.0\.1|::1)$/.test(address))).toEqual([]);
});
