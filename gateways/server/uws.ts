/** The package of the HTTP listener. It is native: not every Node has a binary of it, and its build is worth a line in
 *  the log. Boundary: loading it and its name; what it does is the listener's. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Log } from '../../src/telemetry/log.ts';

const name = 'uWebSockets.js';
/** Head of a request. uWS reads this from the environment when its binary is loaded. */
const headBytesMax = 16 * 1024;

/** There is no binary for this Node, or it cannot be loaded here. */
export class ListenerUnusable extends Error {
  override readonly name = 'ListenerUnusable';
  constructor(cause: unknown) {
    const { node } = process.versions;
    super(
      `${name} cannot be loaded by Node ${node} on ${process.platform} ${process.arch} (${reasonOf(cause)}): ` +
        'run this on Node 22, or by npm start, which gets one',
      { cause },
    );
  }
}

/** Loads it; from the second time on at no cost. Rejects with ListenerUnusable. */
export async function loadUws(): Promise<typeof import('uWebSockets.js')> {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(headBytesMax);
  try {
    return await import('uWebSockets.js');
  } catch (cause) {
    throw new ListenerUnusable(cause);
  }
}

/** Loads it and says which build it is. Rejects with ListenerUnusable. */
export async function tellUws(log: Log): Promise<void> {
  await loadUws();
  log.info({ node: process.versions.node, listener: uwsBuild() }, 'the HTTP listener is loaded');
}

/** The package that lies under its name, and its version: an operator may have put a newer one there. */
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

/** Its own words are a page: a sentence on versions, an empty line, then what really happened and the way there. */
function reasonOf(cause: unknown): string {
  const lines = (cause instanceof Error ? cause.message : String(cause))
    .split('\n')
    .filter((line) => line !== '');
  return (lines[1] ?? lines[0] ?? 'no reason told').replace(/^Error: /, '');
}
