/** One HTTP address of ours, whatever speaks it: API routes (route.ts), pages, returns of buyers, the simulator.
 *  The listener owns the socket; a door sees a whole request and returns a whole reply, or the head of one and who
 *  goes on with it. */
import type { HttpResponse } from 'uWebSockets.js';
import type { MaybePromise } from '../../src/kernel/maybe-promise.ts';

export interface DoorRequest {
  /** `req_...`, also the answer's X-Request-Id. */
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
  /** Headers that were sent without a value: `header` cannot tell them from absent ones. */
  readonly emptyHeaders?: ReadonlySet<string>;
  /** The whole body, empty when there is none. */
  readonly body: Buffer;
  /** The client's address as text. */
  readonly ip: string;
}

export interface DoorReply {
  readonly status: number;
  /** Beside those every answer carries; names in their usual spelling. */
  readonly headers?: { readonly [name: string]: string };
  readonly body: string | Uint8Array | null;
  /** Takes the response over after its head; `body` is then null. */
  readonly stream?: StreamStart;
  /** Simulator faults only: cut the connection in the middle of the body, or never answer. */
  readonly fault?: 'reset' | 'never';
}

/** A response that goes on (event streams). The listener calls exactly one of the two, once. */
export interface StreamStart {
  /** Within the cork that has written the head: writes the first bytes and puts handlers of its own in the place of the
   *  listener's `onAborted`. From then on the response is the stream's alone. */
  begin(res: HttpResponse): void;
  /** The client left before, or is not to be served: gives back what was held for it. */
  missed(): void;
}

export interface Door {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v1/checkout/{id}`; with `/*` at its end, everything below that no other door serves. */
  readonly path: string;
  /** Whether there is anything at a path that `/*` stands for: says 404 from 405. Everything unless told. */
  has?(path: string): boolean;
  /** 64 KiB unless told; more is 413. */
  readonly bodyBytesMax?: number;
  /** Names, in lower case, of the headers it may read after its first await; all of them unless told. */
  readonly lateHeaders?: readonly string[];
  /** Answers while the service drains too, e.g. /health. */
  readonly always?: true;
  /** What people see where the listener answers instead of `handle` (405, 413, 500, 503); JSON unless told.
   *  The listener adds the headers the status asks for. Never throws. */
  errorPage?(status: number, request: Pick<DoorRequest, 'requestId' | 'path'>): DoorReply;
  /** What is answered where the listener would say 503 (draining, too many requests, the deadline), for doors whose
   *  clients take no 503. Never throws. */
  notNow?(): DoorReply;
  /** Never rejects, or throws, for anything a client did; a rejection is a 500. What needs no waiting is no promise. */
  handle(request: DoorRequest): MaybePromise<DoorReply>;
}
