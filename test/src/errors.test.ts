import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  conflictBody,
  errorBody,
  errors,
  fieldError,
  fieldMessages,
  idempotencyConflict,
  type ErrorCode,
  type ErrorDetails,
} from '../../src/errors.ts';

const id = 'req_z25mwf0rtqd021aznxd0zrex';

/** The bodies that were agreed on, byte for byte. */
const agreed: readonly [ErrorCode, ErrorDetails, string][] = [
  [
    'api_key_missing',
    {},
    '{"error":{"message":"No API key was sent. Send it as: Authorization: Bearer <API_KEY>.","type":"authentication_error","code":"api_key_missing","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'api_key_invalid',
    {},
    '{"error":{"message":"This API key is not recognised.","type":"authentication_error","code":"api_key_invalid","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'api_key_revoked',
    {},
    '{"error":{"message":"This API key was revoked.","type":"authentication_error","code":"api_key_revoked","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'api_key_expired',
    {},
    '{"error":{"message":"This API key has expired.","type":"authentication_error","code":"api_key_expired","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'api_key_must_be_secret',
    {},
    '{"error":{"message":"This endpoint needs a secret key (sk_...).","type":"authentication_error","code":"api_key_must_be_secret","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'account_suspended',
    { suspension: { suspended_at: '2026-11-19T06:00:00.000Z', reason: 'Document review is overdue.' } },
    '{"error":{"message":"This merchant account is suspended.","type":"account_error","code":"account_suspended","request_id":"req_z25mwf0rtqd021aznxd0zrex","suspension":{"suspended_at":"2026-11-19T06:00:00.000Z","reason":"Document review is overdue."}}}',
  ],
  [
    'key_access_insufficient',
    {},
    '{"error":{"message":"This key may only read.","type":"permission_error","code":"key_access_insufficient","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'entitlement_required',
    { message: 'Direct-QR is not part of your plan.', entitlement: 'qr_a.directQr' },
    '{"error":{"message":"Direct-QR is not part of your plan.","type":"permission_error","code":"entitlement_required","request_id":"req_z25mwf0rtqd021aznxd0zrex","entitlement":"qr_a.directQr"},"entitlement":"qr_a.directQr"}',
  ],
  [
    'sandbox_only',
    {},
    '{"error":{"message":"This endpoint works with sandbox keys only.","type":"permission_error","code":"sandbox_only","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'validation_failed',
    {
      message: 'amount must be an integer in paisa.',
      param: 'amount',
      errors: [
        fieldError('amount', 'amount_must_be_integer'),
        fieldError('customer.email', 'invalid_format', 'an e-mail address'),
      ],
    },
    '{"error":{"message":"amount must be an integer in paisa.","type":"invalid_request_error","code":"validation_failed","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"amount","errors":[{"param":"amount","code":"amount_must_be_integer","message":"amount must be an integer in paisa."},{"param":"customer.email","code":"invalid_format","message":"customer.email must be an e-mail address."}]}}',
  ],
  [
    'invalid_json',
    {},
    '{"error":{"message":"The body is not valid JSON.","type":"invalid_request_error","code":"invalid_json","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'idempotency_key_invalid',
    {},
    '{"error":{"message":"Idempotency-Key must be 1 to 255 visible ASCII characters.","type":"invalid_request_error","code":"idempotency_key_invalid","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"Idempotency-Key"}}',
  ],
  [
    'page_too_deep',
    {},
    '{"error":{"message":"Page too deep. Narrow the list with createdTo.","type":"invalid_request_error","code":"page_too_deep","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"page"}}',
  ],
  [
    'api_version_unknown',
    {},
    '{"error":{"message":"Unknown Api-Version.","type":"invalid_request_error","code":"api_version_unknown","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"Api-Version"}}',
  ],
  [
    'callback_signature_invalid',
    {},
    '{"error":{"message":"The signature of this callback does not verify.","type":"invalid_request_error","code":"callback_signature_invalid","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'resource_not_found',
    {},
    '{"error":{"message":"No such resource.","type":"invalid_request_error","code":"resource_not_found","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"id"}}',
  ],
  [
    'endpoint_not_found',
    {},
    '{"error":{"message":"No such endpoint.","type":"invalid_request_error","code":"endpoint_not_found","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'method_not_allowed',
    {},
    '{"error":{"message":"Method not allowed.","type":"invalid_request_error","code":"method_not_allowed","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'invalid_state',
    { message: 'A cancelled subscription cannot be paused.', currentStatus: 'cancelled' },
    '{"error":{"message":"A cancelled subscription cannot be paused.","type":"invalid_request_error","code":"invalid_state","request_id":"req_z25mwf0rtqd021aznxd0zrex","currentStatus":"cancelled"}}',
  ],
  [
    'request_too_large',
    {},
    '{"error":{"message":"The body is larger than 64 KiB.","type":"invalid_request_error","code":"request_too_large","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'unsupported_media_type',
    {},
    '{"error":{"message":"Send application/json.","type":"invalid_request_error","code":"unsupported_media_type","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'idempotency_key_reused',
    {},
    '{"error":{"message":"This Idempotency-Key was used with another body.","type":"invalid_request_error","code":"idempotency_key_reused","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"Idempotency-Key"}}',
  ],
  [
    'provider_not_configured',
    {},
    '{"error":{"message":"No such provider is configured for this project and mode.","type":"invalid_request_error","code":"provider_not_configured","request_id":"req_z25mwf0rtqd021aznxd0zrex","param":"provider"}}',
  ],
  [
    'webhook_endpoint_limit_reached',
    {},
    '{"error":{"message":"At most 10 webhook endpoints per project and mode.","type":"invalid_request_error","code":"webhook_endpoint_limit_reached","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'rate_limit_exceeded',
    {},
    '{"error":{"message":"Too many requests.","type":"rate_limit_error","code":"rate_limit_exceeded","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'internal_error',
    {},
    '{"error":{"message":"Something failed on our side.","type":"api_error","code":"internal_error","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'provider_unavailable',
    {},
    '{"error":{"message":"The provider did not answer. Nothing was created; try again.","type":"api_error","code":"provider_unavailable","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
  [
    'service_unavailable',
    {},
    '{"error":{"message":"The service is starting or overloaded. Try again.","type":"api_error","code":"service_unavailable","request_id":"req_z25mwf0rtqd021aznxd0zrex"}}',
  ],
];

describe('the error bodies', () => {
  test.each(agreed)('%s has the documented body, byte for byte', (code, details, body) => {
    expect(errorBody(code, id, details)).toBe(body);
  });

  test('a conflict of two simultaneous keyed requests has a flat body', () => {
    expect(conflictBody()).toBe(
      '{"error":"A request with this Idempotency-Key is still running. Try again after a short delay.","code":"idempotency_conflict"}',
    );
  });

  test('the type of an error follows from its status', () => {
    const typed: { readonly [type: string]: readonly number[] } = {
      authentication_error: [401, 403],
      account_error: [403],
      permission_error: [403],
      invalid_request_error: [400, 404, 405, 409, 410, 413, 415, 422],
      rate_limit_error: [429],
      api_error: [500, 502, 503],
    };
    for (const { type, status } of Object.values(errors)) expect(typed[type]).toContain(status);
  });
});

describe('docs/reference/errors.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/errors.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  test('has each code with its status, type and message, and no other', () => {
    const documented = rows
      .filter((cells) => cells.length === 6)
      .map((cells) => cells.slice(1, 5).join(' | '));
    const known = Object.entries(errors).map(
      ([code, { status, type, message }]) => `\`${code}\` | ${status} | \`${type}\` | ${message}`,
    );
    const conflict = `\`${idempotencyConflict.code}\` | ${idempotencyConflict.status} | none | ${idempotencyConflict.message}`;
    // the page groups them for readers; the code has those of an actor with the actor
    expect(documented.toSorted()).toEqual([...known, conflict].toSorted());
  });

  test('has each field code, and no other', () => {
    const documented = rows.filter((cells) => cells.length === 4).map((cells) => cells[1]);
    expect(documented).toEqual(Object.keys(fieldMessages).map((code) => `\`${code}\``));
  });
});
