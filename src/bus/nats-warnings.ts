/** What an operator should change about a NATS that is used all the same. */
import type { ServerInfo } from 'nats';
import { isOlder } from './nats-connect.ts';

/** Commands that carry many events at once are kept within this size, the server's own default. */
const payloadBytesMin = 1024 * 1024;
/** The first version that can sync every write to disk (`sync_interval: always`); no server tells whether it does. */
const syncingVersionMin = [2, 10] as const;

export interface NatsWarning {
  readonly fields: object;
  readonly line: string;
}

/** Of what the server says of itself when a client connects. */
export function warningsOfServer(info: Partial<ServerInfo> | undefined): readonly NatsWarning[] {
  const { max_payload: bytesMax, version = '' } = info ?? {};
  return [
    ...(bytesMax !== undefined && bytesMax < payloadBytesMin
      ? [
          {
            fields: { max_payload: bytesMax },
            line:
              `NATS takes ${bytesMax} bytes at once, ` +
              'too few for large commands between nodes: set max_payload to 4MB',
          },
        ]
      : []),
    ...(isOlder(version, syncingVersionMin)
      ? [
          {
            fields: { version },
            line:
              'this NATS cannot sync each write to its disk: use nats-server 2.10 or newer, ' +
              'with sync_interval: always',
          },
        ]
      : []),
  ];
}
