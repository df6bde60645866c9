/** Arguments for parts that are tested alone, in place of the other parts of a service. */
import { codeOf } from '../../gateways/http/route/reading.ts';
import { errorReplyOf } from '../../gateways/http/route/reply.ts';
import type { ListenOptions } from '../../gateways/server/listener.ts';
import { RequestIds } from '../../gateways/server/request-id.ts';
import { apiVersion, releases } from '../../src/kernel/api-releases.ts';
import { ApiVersions } from '../../src/kernel/api-versions.ts';
import type { Cancel } from '../../src/kernel/time.ts';

/** A listener by itself: its answers are not counted, and it has no pages. */
export const bareListener: Pick<
  ListenOptions,
  'opensLater' | 'errors' | 'lostPage' | 'notYet' | 'clientAddress' | 'answered' | 'apiVersion' | 'requestIds'
> = {
  opensLater: false,
  errors: { replyOf: errorReplyOf, codeOf },
  lostPage: () => null,
  notYet: () => null,
  clientAddress: null,
  apiVersion,
  answered: () => undefined,
  requestIds: new RequestIds(),
};

/** As they are released. */
export const versions = new ApiVersions(releases);

/** For streams and sockets: a bus that never disconnects, and no count of refused clients. */
export const unwatched = {
  onReconnect: (): Cancel => () => undefined,
  onLimit: (): void => undefined,
};

/** For services of a test: a disk that fails ends the run. */
export function onFatal(line: string): void {
  throw new Error(line);
}
