/** A request of a logged-in user, as each resource makes it. */
import type { Result } from './failure.ts';
import type { Place } from './types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a large request goes on. `onSent`: bytes of all. */
export interface Upload {
  readonly onSent: (sent: number, of: number) => void;
  readonly signal: AbortSignal;
}

/** A POST whose progress is told. Rejects when nothing answers, or it was stopped. */
export type SendUpload = (
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  upload: Upload,
) => Promise<Response>;

export type Asked = <Value>(
  method: Method,
  path: string,
  body?: object,
  idempotencyKey?: string,
  upload?: Upload,
) => Promise<Result<Value>>;

export const pathOf = ({ projectId, mode }: Place): string => `api/${encodeURIComponent(projectId)}/${mode}`;
