/** The files that run a cluster in containers say what the code says. No container is started here. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { answerMsMax } from '../../gateways/server/in-flight.ts';
import { isCluster, readSettings, settings } from '../../src/config.ts';
import { read, root } from '../support/house.ts';
import { environmentOf, listOf, mapOf, services, textOf, type YamlMap } from './compose.ts';

const dockerfile = read('Dockerfile');
const nodes = services().filter(([, service]) => service['build'] !== undefined);
const serviceOf = (name: string): YamlMap => new Map(services()).get(name) ?? {};
/** `20s` as a number. */
const secondsOf = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]);

describe('docker-compose.yml', () => {
  test('two nodes use only settings of this version', () => {
    expect(nodes.map(([name]) => name)).toEqual(['galla-1', 'galla-2']);
    const known = Object.values(settings).map(({ name }) => name as string);
    const inImage = [...dockerfile.matchAll(/\b([A-Z_]+)=\S+/g)].map(([, name = '']) => name);
    expect(inImage).toContain('GALLA_DATA_DIR');
    const set = nodes.flatMap(([, service]) => Object.keys(environmentOf(service)));
    expect(set).toContain('GALLA_SECRETS_KEY');
    expect([...set, ...inImage].filter((name) => !known.includes(name) && name !== 'NODE_ENV')).toEqual([]);
  });

  test('without changes it starts a cluster at the address of the embedded service', () => {
    for (const [, service] of nodes) {
      const read = readSettings(environmentOf(service));
      expect(read).not.toHaveProperty('problems');
      if (!('settings' in read)) continue;
      expect(isCluster(read.settings)).toBe(true);
      expect(read.settings.baseUrl).toBe('http://127.0.0.1:8080');
    }
  });

  test('default secrets say that they are examples, and then only this machine can reach the service', () => {
    const {
      GALLA_ADMIN_TOKEN: token = '',
      GALLA_SECRETS_KEY: key = '',
      NATS_URL: nats = '',
    } = environmentOf(nodes[0]?.[1] ?? {});
    for (const secret of [token, Buffer.from(key, 'base64').toString(), new URL(nats).password])
      expect(secret).toMatch(/^change-me/);
    const published = services().flatMap(([name, service]) =>
      listOf(service['ports'] ?? []).map((port) => `${name} ${port}`),
    );
    expect(published).toEqual(['proxy 127.0.0.1:8080:8080']);
  });

  test('every image is pinned to a version', () => {
    const images = services().map(([, service]) => textOf(service['image']));
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    expect(bases.length).toBeGreaterThan(1);
    expect([...images, ...bases].filter((image) => !/^[a-z]+:\d+[\w.-]*$/.test(image))).toEqual([]);
    expect(new Set(bases.map((image) => image.split(/[:-]/)[1]))).toEqual(new Set(['22']));
  });

  test('a node has the time to hand over, starts after its servers and comes back by itself', () => {
    for (const [, service] of nodes) {
      expect(secondsOf(textOf(service['stop_grace_period']))).toBeGreaterThanOrEqual(15);
      expect(textOf(service['restart'])).toBe('unless-stopped');
      const waits = Object.entries(mapOf(service['depends_on']));
      expect(waits).toEqual([
        ['nats', { condition: 'service_healthy' }],
        ['mongo', { condition: 'service_healthy' }],
      ]);
    }
  });

  test('the servers have no outside network and are reached by the nodes only', () => {
    for (const name of ['nats', 'mongo']) expect(serviceOf(name)['networks']).toEqual(['back']);
    expect(serviceOf('proxy')['networks']).toEqual(['front']);
    expect(read('docker-compose.yml')).toMatch(/\n {2}back:\n {4}internal: true\n/);
  });

  test('the user of NATS is the one that nats.conf allows', () => {
    const conf = read('config/nats.conf');
    const set = Object.keys(environmentOf(serviceOf('nats')));
    expect([...conf.matchAll(/^[^#\n]*: \$(\w+)$/gm)].map(([, name]) => name)).toEqual(set);
    const url = new URL(environmentOf(nodes[0]?.[1] ?? {})['NATS_URL'] ?? '');
    expect(conf).toContain(`user: ${url.username}\n`);
    expect(url.password).toBe(environmentOf(serviceOf('nats'))['NATS_PASSWORD']);
    expect(conf).toContain(`port: ${url.port}\n`);
  });
});

describe('the proxy', () => {
  const conf = read('config/nginx.conf');
  const word = (name: string): string => new RegExp(`^\\s*${name} (.*);$`, 'm').exec(conf)?.[1] ?? '';

  test('knows every node at the port of the image', () => {
    const port = /\bPORT=(\d+)/.exec(dockerfile)?.[1];
    const known = [...conf.matchAll(/^\s*server (\S+) resolve/gm)].map(([, address]) => address);
    expect(known).toEqual(nodes.map(([name]) => `${name}:${port}`));
  });

  test('uses HTTP as the listener supports it and does not buffer streams', () => {
    expect(word('proxy_http_version')).toBe('1.1');
    expect(word('proxy_buffering')).toBe('off');
    expect(secondsOf(word('proxy_read_timeout')) * 1000).toBeGreaterThan(answerMsMax);
  });

  test('never sends a POST to a second node when the first may have received it', () => {
    expect(word('proxy_next_upstream')).toBe('error timeout');
    expect(conf).not.toContain('non_idempotent');
  });
});

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'galla-image-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('copies only files that exist and that .dockerignore includes', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    const admitted = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect([...new Set(copied)].toSorted()).toEqual(admitted.toSorted());
  });

  test.each([
    ['uws-pack', ['dist', 'bin']],
    ['upstream', []],
  ])(
    'keeps the native binaries of its own platform, and its build fails without them (%s)',
    (layout, inside) => {
      const packages = join(folder, layout);
      const [top, stores] = [join(packages, 'uWebSockets.js'), join(packages, '@libsql')];
      const listeners = join(top, ...inside);
      const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
      const all = ['uws_linux_x64_127.node', 'uws_linux_arm64_127.node', 'uws_win32_x64_108.node'];
      const rest = ['ESM_wrapper.mjs', 'package.json', 'uws.js'];
      for (const path of [listeners, join(stores, 'linux-x64-gnu'), join(stores, 'linux-x64-musl')])
        mkdirSync(path, { recursive: true });
      for (const name of rest) writeFileSync(join(top, name), '');
      for (const name of all.filter((one) => one !== own)) writeFileSync(join(listeners, name), '');
      const before = readdirSync(listeners);
      const prune = (): void =>
        void execFileSync(process.execPath, ['config/prune-image.mjs', packages], {
          cwd: root,
          stdio: 'pipe',
        });
      expect(prune).toThrow(/has nothing for/);
      expect(readdirSync(listeners)).toEqual(before);

      writeFileSync(join(listeners, own), '');
      mkdirSync(join(stores, ownStore), { recursive: true });
      prune();
      expect(readdirSync(listeners).filter((name) => name.endsWith('.node'))).toEqual([own]);
      expect(readdirSync(top)).toEqual(expect.arrayContaining(rest));
      expect(readdirSync(stores)).toEqual([ownStore]);
    },
  );
});

const ownStore =
  process.platform === 'darwin' ? `darwin-${process.arch}` : `${process.platform}-${process.arch}-gnu`;
