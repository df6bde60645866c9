/** Where the package of the HTTP listener keeps its binaries: one file per platform, processor and ABI of Node. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const binaryName = (abi, { platform, arch } = process) => `uws_${platform}_${arch}_${abi}.node`;

/** The folder that holds this binary, in the layout of uws-pack or at the top as upstream has it; else undefined. */
export const folderWith = (name, packages = 'node_modules') =>
  [['dist', 'bin'], []]
    .map((inside) => join(packages, 'uWebSockets.js', ...inside))
    .find((folder) => existsSync(join(folder, name)));
