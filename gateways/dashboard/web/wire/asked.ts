/** A request of a logged-in user, as each resource makes it. */
import type { Result } from './failure.ts';
import type { Place } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Asked = <Value>(
  method: Method,
  path: string,
  body?: object,
  idempotencyKey?: string,
) => Promise<Result<Value>>;

export const pathOf = ({ projectId, mode }: Place): string => `api/${encodeURIComponent(projectId)}/${mode}`;
