/** A request of a logged-in user, as each resource makes it. Boundary: types alone. */
import type { Result } from './failure.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Asked = <Value>(
  method: Method,
  path: string,
  body?: object,
  idempotencyKey?: string,
) => Promise<Result<Value>>;
