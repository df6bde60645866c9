/** A project as outsiders see it: its keys as rows of their own, and its test clock. */
import type { ViewMeta, ViewRow } from '../../src/runtime/model/actor.ts';
import { iso, isoOrNull, type Instant } from '../../src/kernel/time.ts';
import type { ApiKey, KeptKey, ProjectState } from './messages.ts';

/** The key record of docs/reference/api/api-keys.md. */
export interface KeyRecord extends Omit<ApiKey, 'sha256' | KeyTimes> {
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

type KeyTimes = 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt';

/** Body of an `api_key` row: the record, and fields only our gateways may see. */
export interface KeyRow extends KeyRecord {
  readonly sha256: string;
  readonly projectId: string;
  readonly merchantId: string;
}

/** The part of a key row that may leave the service. */
export function keyRecord(row: KeyRow): KeyRecord {
  const { sha256: _hash, projectId: _project, merchantId: _merchant, ...record } = row;
  return record;
}

export const keyTag = (sha256: string): string => `sha256=${sha256}`;

export const keyRows = (state: ProjectState, meta: ViewMeta): readonly ViewRow[] =>
  state.keys.map((key) => ({
    kind: 'api_key',
    id: key.id,
    sequence: key.sequence,
    createdAt: key.createdAt,
    tags: [keyTag(key.sha256)],
    body: keyRow(key, meta.id, state.merchantId),
  }));

const keyRow = ({ sequence: _internal, ...key }: KeptKey, projectId: string, merchantId: string): KeyRow => {
  const { sha256, createdAt, expiresAt, revokedAt, lastUsedAt, ...record } = key;
  return {
    ...record,
    createdAt: iso(createdAt),
    expiresAt: isoOrNull(expiresAt),
    revokedAt: isoOrNull(revokedAt),
    lastUsedAt: isoOrNull(lastUsedAt),
    sha256,
    projectId,
    merchantId,
  };
};

/** The Test clock of docs/reference/api/sandbox.md without `pendingTimers` and `nextTimerAt`, which come from the
 *  store. */
export const testClockView = (
  projectId: string,
  { status, offsetMs, fired }: Pick<ProjectState, 'status' | 'offsetMs' | 'fired'>,
  now: Instant,
) => ({
  projectId,
  livemode: false,
  now: iso(now),
  offsetSeconds: Math.round(offsetMs / 1000),
  status,
  fired,
});
