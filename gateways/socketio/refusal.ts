/** Why a socket is refused: arrives as `connect_error`, with the code in `err.data`. */
import { errors, type ErrorCode } from '../../src/errors.ts';

export interface SocketRefusal extends Error {
  readonly data: { readonly code: ErrorCode; readonly message: string };
}

export function refusal(code: ErrorCode): SocketRefusal {
  const { message } = errors[code];
  return Object.assign(new Error(message), { data: { code, message } });
}
