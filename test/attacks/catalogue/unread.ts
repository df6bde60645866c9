/** Clients that ask for much and read nothing: each connection is closed before it is answered in full, and the
 *  memory stays as it was. */
import type { Stage } from '../attack.ts';

export interface UnreadAttack {
  readonly name: string;
  readonly line: (stage: Stage) => string;
  readonly connections: number;
  /** Requests of each connection, sent at once. */
  readonly asks: number;
}

const unreadOf = (line: string, connections: number, asks: number): UnreadAttack => ({
  name: `unread: ${connections} times ${asks} ${line}`,
  line: () => line,
  connections,
  asks,
});

/** Answers of some 200 bytes: 40 MB, more than the kernel holds for a connection. */
const small = 200_000;

export const unread: readonly UnreadAttack[] = [
  {
    name: "unread: 20 times 3000 files of the API's reference",
    line: ({ viewerFile }) => `GET ${viewerFile}`,
    connections: 20,
    asks: 3000,
  },
  unreadOf('GET /v1/openapi.json', 5, 3000),
  unreadOf('GET /docs', 20, 3000),
  unreadOf('GET /v1/nowhere', 5, small),
  unreadOf('HEAD /health', 5, small),
  unreadOf('OPTIONS /v1/public/payment-status', 5, small),
];
