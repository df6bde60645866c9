/** The browser the tests open: CHROMIUM where it is set, else Chromium's build without windows where it is installed,
 *  else Debian's Chromium.
 *  1. The build without windows draws and runs pages as the whole browser does, for a quarter of its CPU: it starts no
 *     processes for menus, extensions and tab strips. */
import { onPath } from '../../src/cli/demo/servers.ts';

export const browserPath =
  process.env['CHROMIUM'] ?? onPath('chromium-headless-shell') ?? '/usr/bin/chromium';
