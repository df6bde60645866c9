/** Many requests at once that cost much to read: each is refused as documented, and the service goes on answering. */
import { bodyBytesMaxUsual } from '../../../gateways/server/paths.ts';
import { callbackBytesMax } from '../../../gateways/buyer/callback.ts';
import { callbacksBurst, callbacksPerMinute } from '../../../gateways/buyer/limits.ts';
import { statementBytesMax } from '../../../src/kernel/text-bounds.ts';
import type { Stage } from '../attack.ts';

export interface Flood {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  /** Requests in all, and how many wait for their answer at any time. */
  readonly count: number;
  readonly atOnce: number;
  readonly key: (stage: Stage) => string | null;
  /** The only one, where nothing is limited. */
  readonly status: number;
  /** 429 beyond these. */
  readonly limit: { readonly burst: number; readonly perSecond: number } | null;
}

/** An object of many short names, almost `bytes` long. */
const names = (bytes: number): string =>
  `{${Array.from({ length: Math.floor(bytes / 15) - 20 }, (_, at) => `"n${at.toString(36).padStart(8, '0')}":0`).join(',')}}`;

export const floods: readonly Flood[] = [
  {
    name: 'flood: ten uploads of 350,000 names',
    path: '/v1/reconciliation/statements',
    body: names(statementBytesMax),
    count: 10,
    atOnce: 10,
    key: ({ secret }) => secret,
    status: 400,
    limit: null,
  },
  {
    name: 'flood: 500 refused bodies of 64 KiB by one key',
    path: '/v1/checkout',
    body: names(bodyBytesMaxUsual),
    count: 500,
    atOnce: 8,
    key: ({ live }) => live,
    status: 400,
    limit: null,
  },
  {
    name: 'flood: 1000 callbacks',
    path: '/callback/wallet_c',
    body: names(callbackBytesMax),
    count: 1000,
    atOnce: 50,
    key: () => null,
    status: 404,
    limit: { burst: callbacksBurst, perSecond: callbacksPerMinute / 60 },
  },
];
