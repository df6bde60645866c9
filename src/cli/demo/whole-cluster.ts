/** `npm run demo -- --cluster`: the same demo with three nodes on a NATS and a MongoDB; one of the nodes is
 *  killed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from './api.ts';
import { Cluster } from './cluster.ts';
import { showLate } from './late.ts';
import { showLinked } from './linked.ts';
import { showLive } from './live.ts';
import { showNodeKilled } from './node-killed.ts';
import { showPaid } from './paid.ts';
import { showRefunded } from './refunded.ts';
import { MissingServers, Servers } from './servers.ts';
import { Shop } from './shop.ts';
import { expect, type DemoPrinter } from './printer.ts';
import type { ClusterWorld } from './world.ts';

const nodes = 3;
const outputLinesShown = 60;

/** The exit code: 0 when every step passed. */
export async function demoCluster(printer: DemoPrinter, entry: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'galla-demo-'));
  const shop = await Shop.open();
  const stops: (() => Promise<unknown>)[] = [];
  let cluster: Cluster | null = null;
  try {
    printer.title(
      'Galla: a cluster nobody can stop',
      'three nodes behind a balancer, NATS, MongoDB, a shop, a buyer without script',
    );
    const servers = await beginServers(printer, folder, stops);
    cluster = await beginNodes(printer, servers, entry, stops);
    const world = await beginShop(printer, shop, cluster);
    await showPaid(world);
    await showRefunded(world);
    await showLinked(world);
    await showLate(world);
    await showLive(world);
    await showNodeKilled(world);
    await finish(world);
    return 0;
  } catch (failure) {
    explain(failure, cluster);
    return 1;
  } finally {
    for (const stop of stops.reverse()) await stop();
    await shop.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function beginServers(
  printer: DemoPrinter,
  folder: string,
  stops: (() => Promise<unknown>)[],
): Promise<Servers> {
  printer.chapter('The cluster');
  return printer.step('NATS and MongoDB start on empty folders', async () => {
    const value = await Servers.start(folder);
    stops.push(() => value.stop());
    return {
      value,
      facts: [
        ['nats', value.natsUrl],
        ['mongodb', value.mongodbUrl],
        ['data', folder],
      ],
    };
  });
}

async function beginNodes(
  printer: DemoPrinter,
  { natsUrl, mongodbUrl }: Servers,
  entry: string,
  stops: (() => Promise<unknown>)[],
): Promise<Cluster> {
  return printer.step('Three nodes start, and a load balancer in front of them', async () => {
    const env = { NATS_URL: natsUrl, MONGODB_URL: mongodbUrl, WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on' };
    const value = await Cluster.start({ entry, nodes, envOf: () => env });
    stops.push(() => value.stop());
    const told = value.nodes.map(
      ({ url, pid, service }) => `${url}, pid ${pid}, ${Math.round(service.readyMs)} ms`,
    );
    return {
      value,
      facts: [
        ['nodes', told.join('\n')],
        ['balancer', value.url],
      ],
    };
  });
}

async function beginShop(printer: DemoPrinter, shop: Shop, cluster: Cluster): Promise<ClusterWorld> {
  return printer.step('The operator makes a merchant and a key', async () => {
    const merchant = { name: 'Asha Books', email: 'asha@example.com', plan: 'premium' };
    const { body } = await cluster.admin.must('POST', '/admin/v1/merchants', merchant);
    const project = body.text('project.id');
    const made = await cluster.admin.must('POST', `/admin/v1/projects/${project}/keys`, {
      kind: 'secret',
      mode: 'sandbox',
    });
    const api = new Api(cluster.url, made.body.text('key'));
    return {
      value: { printer: printer, shop, cluster, api, webhookSecret: '' },
      facts: [['project', project]],
    };
  });
}

async function finish({ printer, cluster }: ClusterWorld): Promise<void> {
  printer.chapter('The end');
  await printer.step('SIGTERM to all: they finish their work and leave', async () => {
    const ends = await Promise.all(cluster.nodes.map((node) => node.stop()));
    for (const { code, signal } of ends)
      expect(code === 0, `a node ended with ${signal ?? `exit code ${code}`}`);
    return { value: null, facts: [['processes', 'exit code 0 from each']] };
  });
  printer.end('Everything held.');
}

function explain(failure: unknown, cluster: Cluster | null): void {
  if (failure instanceof MissingServers) return void process.stderr.write(`\ngalla: ${failure.message}\n`);
  const why = failure instanceof Error ? failure.message : String(failure);
  process.stderr.write(`\n  The demo failed: ${why}\n`);
  const last = cluster?.output.trimEnd().split('\n').slice(-outputLinesShown).join('\n') ?? '';
  if (last !== '') process.stderr.write(`\n  The nodes said last:\n\n${last}\n\n`);
}
