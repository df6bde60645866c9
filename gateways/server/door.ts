/** One HTTP endpoint of the service, of any kind: API routes (route.ts), pages, buyer returns, the
 *  simulator. The listener owns the socket; a door receives a whole request and returns a whole reply, or
 *  the head of a reply and the stream that continues it. */
import type { HttpResponse } from 'uWebSockets.js';
import type { MaybePromise } from '../../src/kernel/maybe-promise.ts';

export interface DoorRequest {
  /** `req_...`, also sent as X-Request-Id. */
  readonly requestId: string;
  /** GET for HEAD too; the listener drops the body. */
  readonly method: string;
  /** Path as sent, without the query. */
  readonly path: string;
  /** Values of `{name}` in the pattern, percent-decoded. */
  readonly params: { readonly [name: string]: string };
  /** Raw text after `?`, '' when absent. */
  readonly rawQuery: string;
  /** One header's value by lower-case name, '' when absent. */
  header(name: string): string;
  /** Headers sent with an empty value: `header` cannot tell them from absent ones. */
  readonly emptyHeaders?: ReadonlySet<string>;
  /** The whole body, empty when there is none. */
  readonly body: Buffer;
  /** The client's address as text. */
  readonly ip: string;
  /** Set when its API key is known: whose request this is, whether or not the key may do it. */
  keyUsed?: KeyUsed | undefined;
  /** The body of an answer of 400 or more, once it is sent: it says why. */
  refusal?: DoorReply['body'] | undefined;
}

/** A request whose answer is sent. */
export interface AnsweredRequest extends DoorRequest {
  /** The number that its id was made of. */
  readonly requestNumber: number;
}

export interface KeyUsed {
  /** The project and mode of the key. */
  readonly scope: string;
  readonly keyId: string;
}

export interface DoorReply {
  readonly status: number;
  /** In addition to the headers of every answer; names in their usual spelling. */
  readonly headers?: { readonly [name: string]: string };
  readonly body: string | Uint8Array | null;
  /** Takes over the response after its head; `body` is then null. */
  readonly stream?: StreamStart;
  /** Simulator faults only: cut the connection in the middle of the body, or never answer. */
  readonly fault?: 'reset' | 'never';
}

/** A response that stays open (event streams). The listener calls exactly one of the two methods, once. */
export interface StreamStart {
  /** Called inside the cork that has written the head: writes the first bytes and replaces the listener's
   *  `onAborted` with its own handler. From then on the stream alone owns the response. */
  begin(res: HttpResponse): void;
  /** The client has left already, or is not to be served: releases what was held for it. */
  missed(): void;
}

export interface Door {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** `/v1/checkout/{id}`; with `/*` at its end, every path below that no other door serves. */
  readonly path: string;
  /** Whether a resource exists at a path that matches `/*`: decides between 404 and 405. By default every
   *  path exists. */
  has?(path: string): boolean;
  /** 64 KiB by default; a larger body is answered 413. */
  readonly bodyBytesMax?: number;
  /** Lower-case names of the headers it may read after its first await; by default all headers. */
  readonly lateHeaders?: readonly string[];
  /** Also answers while the service drains, e.g. /health. */
  readonly always?: true;
  /** The page for people when the listener answers instead of `handle` (405, 413, 500, 503); JSON by
   *  default. The listener adds the headers that the status requires. Never throws. */
  errorPage?(status: number, request: ErrorRequest): DoorReply;
  /** The answer where the listener would send 503 (draining, too many requests, the deadline), for doors
   *  whose clients cannot handle a 503. Never throws. */
  unavailable?(): DoorReply;
  /** Never rejects or throws because of a client's input; a rejection is answered 500. A handler that need
   *  not wait returns a plain value, not a promise. */
  handle(request: DoorRequest): MaybePromise<DoorReply>;
}

/** What is known of a request that the listener answers in place of a door. After a wait, of the headers only
 *  the door's `lateHeaders`. */
export type ErrorRequest = Pick<DoorRequest, 'requestId' | 'method' | 'path' | 'rawQuery' | 'header'>;

/** A door, or anything that has its own page for some errors. */
export interface ErrorPages {
  readonly bodyBytesMax?: number;
  errorPage?(...asked: Parameters<NonNullable<Door['errorPage']>>): DoorReply | null;
}

/** What the listener answers in place of a door. */
export type ListenerError =
  | 'endpoint_not_found'
  | 'method_not_allowed'
  | 'request_too_large'
  | 'internal_error'
  | 'service_unavailable';

/** How errors are answered: their content belongs to the API, not to the listener. Neither throws. */
export interface ErrorReplies {
  /** The page of the door if it has one, else JSON. */
  replyOf(
    door: ErrorPages | undefined,
    code: ListenerError,
    request: ErrorRequest,
    headers?: { readonly [name: string]: string },
  ): DoorReply;
  /** Of what a door has thrown. */
  codeOf(thrown: unknown): 'internal_error' | 'service_unavailable';
}

/** Whether the body of a request is received: with any other method it is not read. */
export const takesBody = ({ method }: { readonly method: string }): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH';
