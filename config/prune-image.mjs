/** Removes from node_modules the native binaries of other machines, so that the image is small. Run while the image is
 *  built, by the Node that will run the service.
 *  1. What this machine needs is looked for first: if it is missing, nothing is removed and the build fails. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { binaryName, folderWith } from './uws-binary.mjs';

const packages = process.argv[2] ?? 'node_modules';
const { platform, arch, versions } = process;

const listener = binaryName(versions.modules);
/** If it is nowhere, the check below says so of the package. */
const listeners = folderWith(listener, packages) ?? join(packages, 'uWebSockets.js');

/** The embedded store: one package per platform, processor and C library. */
const stores = join(packages, '@libsql');
const store = { linux: `linux-${arch}-gnu`, darwin: `darwin-${arch}` }[platform] ?? '';

for (const [folder, needed] of [
  [listeners, listener],
  [stores, store],
]) {
  if (needed === '' || !existsSync(join(folder, needed))) {
    process.stderr.write(`${folder} has nothing for ${platform} ${arch}, ABI ${versions.modules}\n`);
    process.exit(1);
  }
}
for (const [folder, others] of [
  [listeners, (name) => /^uws_\w+\.node$/.test(name) && name !== listener],
  [stores, (name) => /^(?:linux|darwin|win32)-/.test(name) && name !== store],
]) {
  for (const name of readdirSync(folder).filter(others)) rmSync(join(folder, name), { recursive: true });
}
