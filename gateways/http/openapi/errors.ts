/** The errors an operation may answer: those that follow from what its route declares, in the order of the
 *  checks, and those its handler declares. */
import type { TSchema } from 'typebox';
import { errorBody, errors, fieldError, type ErrorCode, type ErrorDetails } from '../../../src/errors.ts';
import type { GateRule, KeyRule } from '../access/gate.ts';
import { takesBody } from '../../server/door.ts';
import { takesKey, type AnySpec } from '../route/spec.ts';
import type { Json } from './schema.ts';

/** What an error's example shows as the id of the request. */
const requestId = 'req_z25mwf0rtqd021aznxd0zrex';

const keyMissingOrWrong = [
  'api_key_missing',
  'api_key_invalid',
  'api_key_revoked',
  'api_key_expired',
] as const;

/** Of any door that takes a key: the checks of the gate. */
export function errorsOfGate({
  key,
  method,
  readIsEnough,
  needs,
  perAddress,
}: GateRule): readonly ErrorCode[] {
  if (key === 'none') return perAddress === undefined ? [] : ['rate_limit_exceeded'];
  if (key === 'operator') return ['admin_token_invalid', 'rate_limit_exceeded'];
  return [
    ...keyMissingOrWrong,
    'account_suspended',
    ...(key === 'any' ? [] : (['api_key_must_be_secret'] as const)),
    ...(method === 'GET' || readIsEnough === true ? [] : (['key_access_insufficient'] as const)),
    ...(key === 'sandbox' ? (['sandbox_only'] as const) : []),
    'rate_limit_exceeded',
    ...(needs === undefined ? [] : (['entitlement_required'] as const)),
  ];
}

/** Of every door. */
export const errorsOfAll: readonly ErrorCode[] = ['internal_error', 'service_unavailable'];

export function errorsOf(spec: AnySpec): readonly ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...errorsOfGate(spec),
      'api_version_unknown',
      ...(takesKey(spec) ? (['idempotency_key_invalid', 'idempotency_key_reused'] as const) : []),
      ...(spec.method === 'GET' ? [] : (['request_too_large'] as const)),
      ...(takesBody(spec) ? (['unsupported_media_type', 'invalid_json'] as const) : []),
      'validation_failed',
      ...(hasPages(spec.query) ? (['page_too_deep'] as const) : []),
      ...(spec.object === undefined ? [] : (['resource_not_found'] as const)),
      ...(spec.errors ?? []),
      ...errorsOfAll,
    ]),
  ];
}

const hasPages = (query: TSchema | undefined): boolean =>
  query !== undefined && 'page' in ((query as { readonly properties?: object }).properties ?? {});

/** Details that an error always has. */
const details: { readonly [code in ErrorCode]?: ErrorDetails } = {
  validation_failed: {
    message: 'amount must be an integer in paisa.',
    param: 'amount',
    errors: [
      fieldError('amount', 'amount_must_be_integer'),
      fieldError('customer.email', 'invalid_format', 'an e-mail address'),
    ],
  },
  account_suspended: {
    suspension: { suspended_at: '2026-11-19T06:00:00.000Z', reason: 'Document review is overdue.' },
  },
  entitlement_required: { message: 'Direct-QR is not part of your plan.', entitlement: 'qr_a.directQr' },
  invalid_state: { currentStatus: 'expired' },
};

/** The body of an error, as it is answered. */
export const exampleOf = (code: ErrorCode): Json =>
  // errorBody writes JSON
  JSON.parse(errorBody(code, requestId, details[code])) as Json;

export const messageOf = (code: ErrorCode): string => details[code]?.message ?? errors[code].message;

/** The security requirement of a key. */
export function securityOf(key: KeyRule): readonly Json[] {
  switch (key) {
    case 'none':
      return [];
    case 'operator':
      return [{ operatorToken: [] }];
    case 'any':
      return [{ secretKey: [] }, { publishableKey: [] }];
    default:
      return [{ secretKey: [] }];
  }
}
