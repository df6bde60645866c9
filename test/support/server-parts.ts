/** Which real servers a test can have: found on PATH, or given by NATS_URL and MONGODB_URL.
 *  Boundary: looks and says; test/support/servers.ts starts them.
 *  1. What is missing is said in one loud line; with GALLA_TESTS_SKIP_NOTHING=1 it is a failure. */
import { onPath } from '../../src/cli/demo/servers.ts';

export type Part = 'nats-server' | 'mongod';

/** Where a test finds a server: a binary to start, an address that was given, or nowhere. */
export type Found =
  | { readonly is: 'binary'; readonly path: string }
  | { readonly is: 'given'; readonly url: string }
  | { readonly is: 'missing'; readonly why: string };

const given: Readonly<Record<Part, string>> = { 'nats-server': 'NATS_URL', mongod: 'MONGODB_URL' };

/** Throws instead of `missing` where nothing may be skipped. */
export function find(part: Part): Found {
  const found = look(part);
  if (found.is === 'missing' && process.env['GALLA_TESTS_SKIP_NOTHING'] === '1') {
    throw new Error(`${found.why}, and nothing may be skipped`);
  }
  return found;
}

/** The same, and never throws. */
export function look(part: Part): Found {
  const url = process.env[given[part]];
  if (url !== undefined && url !== '') return { is: 'given', url };
  const path = onPath(part) ?? fetched(part);
  if (path !== null) return { is: 'binary', path };
  return { is: 'missing', why: `no ${part} on PATH and no ${given[part]}` };
}

/** A mongod that fetch-mongod.ts has found or downloaded. */
const fetched = (part: Part): string | null =>
  part === 'mongod' ? (process.env['MONGOMS_SYSTEM_BINARY'] ?? null) : null;

/** Whether a suite must be skipped; says so once per file, naming what and why. */
export function missing(part: Part, suite: string): boolean {
  const found = find(part);
  if (found.is !== 'missing') return false;
  process.stdout.write(`\nSKIPPED: ${suite}: ${found.why.toUpperCase()}\n`);
  return true;
}

/** Like `missing`, of a suite that kills, freezes or cripples its server: one that was given must not be harmed. */
export function missingToHurt(part: Part, suite: string): boolean {
  if (missing(part, suite)) return true;
  if (look(part).is !== 'given') return false;
  process.stdout.write(`\nSKIPPED: ${suite}: ${given[part]} WAS GIVEN, AND THESE TESTS HURT THEIR SERVER\n`);
  return true;
}

/** What the closing line of a run says of a part. */
export function partLine(part: Part): string {
  const found = look(part);
  if (found.is === 'binary') return found.path;
  return found.is === 'given' ? `as ${given[part]} says` : `NONE (${found.why}): THOSE TESTS ARE SKIPPED`;
}
