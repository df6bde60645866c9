/** Before all tests: a mongod from the network, when none is installed and MONGOMS_VERSION names one.
 *  Boundary: mongodb-memory-server-core downloads and keeps it; without the variable nothing is asked.
 *  1. No network is no failure: the tests that need a mongod are then skipped, loudly. */
import { look } from './server-parts.ts';

const downloadMsMax = 120_000;

/** Called by vitest once, before any worker starts; those inherit what it puts into the environment. */
export async function setup(): Promise<void> {
  const version = process.env['MONGOMS_VERSION'];
  if (version === undefined || look('mongod').is !== 'missing') return;
  const { MongoBinary } = await import('mongodb-memory-server-core/lib/util/MongoBinary.js');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), downloadMsMax);
  });
  try {
    process.env['MONGOMS_SYSTEM_BINARY'] = await Promise.race([MongoBinary.getPath({ version }), late]);
  } catch (error) {
    process.stdout.write(`\nMONGOD ${version} COULD NOT BE DOWNLOADED: ${String(error)}\n`);
  } finally {
    clearTimeout(timer);
  }
}
