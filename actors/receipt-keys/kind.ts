/** The kind of the keys that sign receipts. */
import type { Kind } from '../kind.ts';
import { receiptKeys } from './receipt-keys.ts';

export const receiptKeysKind = {
  actor: receiptKeys,
  refusals: {
    receipt_key_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This service has reached its limit of published receipt keys.',
    },
  },
} as const satisfies Kind;
