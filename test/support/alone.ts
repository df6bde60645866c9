/** What parts are handed that are tested by themselves, where a service would hand them its other parts. */
import type { ListenOptions } from '../../gateways/server/listener.ts';
import type { Cancel } from '../../src/kernel/time.ts';

/** A listener of a node alone: nobody counts its answers, and it has no pages. */
export const bareListener: Pick<
  ListenOptions,
  'opensLater' | 'lostPage' | 'notYet' | 'clientAddress' | 'answered'
> = {
  opensLater: false,
  lostPage: () => null,
  notYet: () => null,
  clientAddress: null,
  answered: () => undefined,
};

/** For streams and sockets: a bus that never falls, and nobody who counts whom a limit turned away. */
export const unwatched = {
  onReconnect: (): Cancel => () => undefined,
  onLimit: (): void => undefined,
};

/** For services of a test: a disk that fails ends the run. */
export function onFatal(line: string): void {
  throw new Error(line);
}
