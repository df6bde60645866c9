/** Whether what needs PHP must be skipped; says so, naming what is missing. */
import { onPath } from '../../src/cli/demo/servers.ts';

export function noPhp(suite: string): boolean {
  if (onPath('php') !== null) return false;
  console.warn(`SKIPPED: ${suite}: NO php ON PATH (Debian: apt-get install php-cli php-curl)`);
  return true;
}
