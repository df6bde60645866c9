/** What a request with an Idempotency-Key says of it. */
import type { KeyedRequest } from '../../../actors/checkout-session/commands.ts';

export const keyedRequest = (more: Partial<KeyedRequest> = {}): KeyedRequest => ({
  hash: 'hash-1',
  tag: 'tag-1',
  generation: 1,
  ended: 0,
  request: 'req_first',
  written: '2026-11-20',
  version: '2026-11-20',
  ...more,
});
