/** One error as the API answers it. */

export type ErrorType =
  | 'authentication_error'
  | 'account_error'
  | 'permission_error'
  | 'invalid_request_error'
  | 'rate_limit_error'
  | 'api_error';

export interface PublicError {
  /** Of HTTP. */
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  /** What the error is about, when it is always the same thing. */
  readonly param?: string;
}
