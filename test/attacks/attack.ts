/** One bad request, as data: what is sent, byte for byte, and what must come back.
 *  Boundary: values and their builders; replay.ts sends them. */
import type { ErrorCode } from '../../src/errors.ts';

/** What a request may name: the keys and objects of the service that is attacked. */
export interface Stage {
  readonly secret: string;
  readonly publishable: string;
  /** Secret, may only read. */
  readonly read: string;
  readonly live: string;
  readonly revoked: string;
  readonly expired: string;
  /** Of a merchant who is suspended. */
  readonly suspended: string;
  /** Of another merchant. */
  readonly stranger: string;
  readonly adminToken: string;
  readonly projectId: string;
  readonly merchantId: string;
  readonly sessionId: string;
  /** Paid, and partly refunded. */
  readonly paymentId: string;
  readonly refundId: string;
  readonly endpointId: string;
  readonly linkId: string;
  readonly planId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly statementId: string;
  /** Of the session's page. */
  readonly formToken: string;
  /** A key that created a checkout. */
  readonly usedKey: string;
  /** The largest file of the API's reference, as a path. */
  readonly viewerFile: string;
}

export type Bytes = string | Buffer;

/** Bytes, and a pause after them. */
export interface Piece {
  readonly bytes: Bytes;
  readonly pauseMs: number;
}

export type Expected =
  /** Our envelope. `fields`: the entries of `errors` as `param code`; `either`: there is one, and it is one of these. */
  | {
      readonly is: 'error';
      readonly code: ErrorCode;
      readonly fields?: readonly string[];
      readonly either?: readonly string[];
    }
  /** For people. */
  | { readonly is: 'page'; readonly status: number }
  /** An answer without a body: to HEAD, or a redirect. */
  | { readonly is: 'head'; readonly status: number }
  /** Accepted; it changes nothing. */
  | { readonly is: 'fine'; readonly status: number }
  /** Refused by the parser: a bare status and the end of the connection, or the end alone. */
  | { readonly is: 'bare'; readonly statuses: readonly number[] }
  /** Never an answer; the connection is closed. */
  | { readonly is: 'cut' };

export interface Attack {
  readonly name: string;
  readonly send: (stage: Stage) => Bytes | readonly Piece[];
  readonly expected: Expected;
}

/** Attacks that take as long as the service allows slow senders to take. */
export interface SlowAttack extends Attack {
  readonly closedWithinMs: number;
}

export const error = (code: ErrorCode, ...fields: readonly string[]): Expected =>
  fields.length === 0 ? { is: 'error', code } : { is: 'error', code, fields };
export const page = (status: number): Expected => ({ is: 'page', status });
export const fine = (status = 200): Expected => ({ is: 'fine', status });
export const bare = (...statuses: readonly number[]): Expected => ({ is: 'bare', statuses });

export const bearer = (key: string): string => `Authorization: Bearer ${key}`;

export const lines = (...all: readonly string[]): string => all.join('\r\n');

/** A request as a careful client writes it. */
export const request = (line: string, headers: readonly string[] = [], body?: Bytes): Buffer =>
  Buffer.concat([
    Buffer.from(
      lines(
        `${line} HTTP/1.1`,
        'Host: galla.test',
        ...headers,
        ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
        '',
        '',
      ),
      'latin1',
    ),
    Buffer.from(body ?? ''),
  ]);

const jsonType = 'Content-Type: application/json';

/** With a JSON body: text and bytes go as they are. */
export const json = (line: string, headers: readonly string[], body: object | Bytes): Buffer =>
  request(
    line,
    [jsonType, ...headers],
    typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  );

export const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };

/** Many attacks of one kind: what is sent by name, and the one answer to all. */
export const each = <Value>(
  values: { readonly [name: string]: Value },
  send: (value: Value, stage: Stage) => Bytes,
  expected: Expected | ((value: Value) => Expected),
): readonly Attack[] =>
  Object.entries(values).map(([name, value]) => ({
    name,
    send: (stage) => send(value, stage),
    expected: typeof expected === 'function' ? expected(value) : expected,
  }));
