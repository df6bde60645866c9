/** Why a socket is not let in: arrives as `connect_error`, `err.data` says the code. */
import { errors, type ErrorCode } from '../../src/errors.ts';

export interface SocketRefusal extends Error {
  readonly data: { readonly code: ErrorCode; readonly message: string };
}

export function refusal(code: ErrorCode): SocketRefusal {
  const { message } = errors[code];
  return Object.assign(new Error(message), { data: { code, message } });
}
