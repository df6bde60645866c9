/** `galla demo`, `npm run demo`: the main use case with real input, against a service it starts itself. Real HTTP to
 *  real routes: a shop with its own server, a buyer whose browser runs no script, the simulated provider with
 *  its signed protocol. With `--cluster` the service is three nodes, on a NATS and a MongoDB that it also
 *  starts, and one of the nodes is killed.
 *  Exit code 0 when every step passed, 1 with the reason. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../kernel/package-root.ts';
import { Api } from './demo/api.ts';
import { showBilled } from './demo/billed.ts';
import { showInApp } from './demo/in-app.ts';
import { showKilled } from './demo/killed.ts';
import { showLate } from './demo/late.ts';
import { showLinked } from './demo/linked.ts';
import { showLive } from './demo/live.ts';
import { showPaid } from './demo/paid.ts';
import { showRefunded } from './demo/refunded.ts';
import { Service } from './demo/service.ts';
import { Shop } from './demo/shop.ts';
import { expect, DemoPrinter } from './demo/printer.ts';
import { demoCluster } from './demo/whole-cluster.ts';
import type { LoneWorld } from './demo/world.ts';

const entry = join(packageRoot(), 'dist', 'src', 'cli', 'start.js');
const outputLinesShown = 30;

/** Resolves to the exit code. */
export const demo = ({ cluster }: { readonly cluster: boolean }): Promise<number> => {
  const printer = new DemoPrinter(
    (text) => process.stdout.write(text),
    process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  );
  return cluster ? demoCluster(printer, entry) : demoAlone(printer);
};

async function demoAlone(printer: DemoPrinter): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-demo-'));
  const shop = await Shop.open();
  let world: LoneWorld | null = null;
  try {
    printer.title(
      'Galla: one payment nobody can lose',
      'a real service, a shop, a buyer without script, a simulated provider',
    );
    world = await begin(printer, shop, dataDir);
    await showPaid(world);
    await showRefunded(world);
    await showLinked(world);
    await showInApp(world);
    await showLate(world);
    await showLive(world);
    await showBilled(world);
    await showKilled(world);
    await finish(world);
    return 0;
  } catch (failure) {
    explain(failure, world);
    return 1;
  } finally {
    await world?.service.kill();
    await shop.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function begin(printer: DemoPrinter, shop: Shop, dataDir: string): Promise<LoneWorld> {
  printer.chapter('The service');
  const options = { dataDir, entry };
  const service = await printer.step('The service starts on an empty folder', async () => {
    const value = await Service.start(options);
    return {
      value,
      facts: [
        ['address', value.url],
        ['process', `pid ${value.pid}, ready in ${Math.round(value.readyMs)} ms`],
        ['data', dataDir],
      ],
    };
  });
  const { secretKey } = await service.keys(dataDir);
  return { printer, shop, options, service, api: new Api(service.url, secretKey), webhookSecret: '' };
}

async function finish({ printer, service }: LoneWorld): Promise<void> {
  printer.chapter('The end');
  await printer.step('SIGTERM: it finishes its work and leaves', async () => {
    const { code, signal } = await service.stop();
    expect(code === 0, `it ended with ${signal ?? `exit code ${code}`}`);
    return { value: null, facts: [['process', 'exit code 0']] };
  });
  printer.end('Everything held.');
}

function explain(failure: unknown, world: LoneWorld | null): void {
  const last = world?.service.output.trimEnd().split('\n').slice(-outputLinesShown).join('\n') ?? '';
  process.stderr.write(
    `\n  The demo failed: ${failure instanceof Error ? failure.message : String(failure)}\n`,
  );
  if (last !== '') process.stderr.write(`\n  The service said last:\n\n${last}\n\n`);
}
