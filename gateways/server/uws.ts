/** Loads the package of the HTTP listener. It is native: not every Node version has a binary, and its build
 *  is logged. Boundary: loading it and its name; the listener uses it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Log } from '../../src/telemetry/log.ts';

const name = 'uWebSockets.js';
/** Size limit of a request's head. uWS reads this from the environment when its binary is loaded. */
const headBytesMax = 16 * 1024;

/** There is no binary for this Node version, or it cannot be loaded here. */
export class ListenerUnusable extends Error {
  override readonly name = 'ListenerUnusable';
  constructor(cause: unknown) {
    const { node } = process.versions;
    super(
      `${name} cannot be loaded by Node ${node} on ${process.platform} ${process.arch} (${reasonOf(cause)}): ` +
        'use Node 22, or npm start, which installs one',
      { cause },
    );
  }
}

/** Loads it; later calls cost nothing. Rejects with ListenerUnusable. */
export async function loadUws(): Promise<typeof import('uWebSockets.js')> {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(headBytesMax);
  try {
    return await import('uWebSockets.js');
  } catch (cause) {
    throw new ListenerUnusable(cause);
  }
}

/** Loads it and logs which build it is. Rejects with ListenerUnusable. */
export async function logListener(log: Log): Promise<void> {
  await loadUws();
  log.info({ node: process.versions.node, listener: uwsBuild() }, 'the HTTP listener is loaded');
}

/** The package installed under its name, and its version: an operator may have installed a newer one. */
function uwsBuild(): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const path = folders.map((folder) => join(folder, name, 'package.json')).find((file) => existsSync(file));
  if (path === undefined) return 'unknown';
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  return `${manifest.name} ${manifest.version}`;
}

/** uWS's own message is long: a sentence on versions, an empty line, then the actual error and its stack. */
function reasonOf(cause: unknown): string {
  const lines = (cause instanceof Error ? cause.message : String(cause))
    .split('\n')
    .filter((line) => line !== '');
  return (lines[1] ?? lines[0] ?? 'no reason given').replace(/^Error: /, '');
}
