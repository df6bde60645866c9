/** A large request, as it goes on. */

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
