/** The answer of a route's handler: a result or a refusal, never a thrown error. */
import type { DetailOf } from '../../../src/runtime/model/actor.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import { shortened } from '../../../src/kernel/text.ts';
import type { Address, Mode, Scope } from '../../../src/runtime/model/address.ts';
import type { Asking, Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { errors, isErrorCode, type ErrorCode, type ErrorDetails } from '../../../src/errors.ts';

/** `Value`: the type of the body. */
export interface Done<Value = unknown> {
  readonly is: 'done';
  /** Never set: the type is for callers. */
  readonly body?: Value;
  /** JSON text of the body. */
  readonly text: string;
  /** The same in UTF-8, when it is cached. */
  readonly bytes?: Uint8Array | undefined;
  /** The object it is about, for the idempotency record. */
  readonly objectId: string | null;
  /** The body holds a secret: it is sealed wherever it is stored. */
  readonly secret: boolean;
}

export interface Refused {
  readonly is: 'refused';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** When it may be retried, for a 503. */
  readonly retryAfterSeconds: number | null;
}

export type Answer<Value = unknown> = Done<Value> | Refused;

/** The answer that was written with the object. */
export interface Kept {
  readonly is: 'kept';
  readonly text: string;
  /** The version of the API that the first request was answered in. */
  readonly version: string;
  readonly replayed: boolean;
}

/** A result. An `id` in the body names the object. */
export const done = <const Value extends object>(body: Value, secret = false): Done<Value> => ({
  is: 'done',
  text: JSON.stringify(body),
  objectId: idIn(body),
  secret,
});

type Body = { readonly [key: string]: unknown };

const idIn = (body: object): string | null => ('id' in body && typeof body.id === 'string' ? body.id : null);

/** Cached answers of views: as long as its actor does not change, every reader gets the same view object. */
const doneViews = new WeakMap<object, Done>();
const encoder = new TextEncoder();

/** A result that is an actor's whole view; it is serialized once per change. Its bytes are cached only on
 *  the second read: a view read once is encoded on its way out. */
export function doneView(view: Body): Done {
  const known = doneViews.get(view);
  if (known?.bytes !== undefined) return known;
  const text = known?.text ?? JSON.stringify(view);
  const bytes = known === undefined ? undefined : encoder.encode(text);
  const made: Done = { is: 'done', text, bytes, objectId: idIn(view), secret: false };
  doneViews.set(view, made);
  return made;
}

/** A result that is JSON text already. */
export const doneText = (text: string): Done => ({ is: 'done', text, objectId: null, secret: false });

export const refused = (code: ErrorCode, details: ErrorDetails = {}): Refused => ({
  is: 'refused',
  code,
  details,
  retryAfterSeconds: null,
});

/** Unknown, another project's or the other mode's: all answered the same. */
export const notFound: Refused = refused('resource_not_found');

/** No id of the service is longer. */
const idCharactersShown = 64;

/** The message of a 404: which object, by the requested id, and in which mode; null where that is not
 *  known. */
export const noSuch = (object: string, id: string, mode: Mode | null): string =>
  `No ${object} ${shortened(id, idCharactersShown)}${mode === null ? '' : ` in ${mode}`}.`;

export type NotDone = Exclude<AskResult, { is: 'ok' }>;

/** The refusal for an ask that is not `ok`. `details` add to a refusal of the actor's. */
export function refusalOf(result: NotDone, details: ErrorDetails = {}): Refused {
  switch (result.is) {
    case 'refused':
      return refusalOfCode(result.code, result.detail, details);
    case 'not_executed':
      return { ...unavailable, retryAfterSeconds: Math.max(1, Math.ceil(result.retryAfterMs / 1000)) };
    case 'unknown':
      return unavailable;
    case 'internal':
      return refused('internal_error');
  }
}

/** Sends a command and answers it by the object it was sent to: as `say` puts it once it is committed, else why it was
 *  not executed. */
export async function askAndShow<C, K extends keyof C & string, State, Value>(
  client: Pick<Client, 'ask' | 'read'>,
  to: Address<C>,
  command: K,
  data: C[K],
  asking: Asking<DetailOf<C[K]>>,
  say: (found: Snapshot<State>, detail: DetailOf<C[K]>) => MaybePromise<Answer<Value>>,
  refusal: (result: NotDone) => Refused = refusalOf,
): Promise<Answer<Value>> {
  const result = await client.ask(to, command, data, { ...asking, shows: true });
  if (result.is !== 'ok') return refusal(result);
  const found = await shownAfter<State>(client, to, asking.scope, result);
  // it was there a moment ago
  return found === null ? unavailable : say(found, result.detail);
}

/** The whole view of an object. */
export const wholeView = ({ view }: Pick<Snapshot, 'view'>): Answer => doneView(view);

/** An actor after a command that `shows`: its answer carries it, else it is read. */
export const shownAfter = <State>(
  client: Pick<Client, 'read'>,
  to: Address,
  scope: Scope | null,
  result: AskResult<unknown, Snapshot>,
): MaybePromise<Snapshot<State> | null> =>
  'shown' in result && result.shown !== undefined
    ? // the state of its kind, as for a read
      (result.shown as unknown as Snapshot<State>)
    : client.read<State>(to, scope);

/** The outcome is unknown or the command was not executed: retry with the same Idempotency-Key. */
export const unavailable: Refused = {
  is: 'refused',
  code: 'service_unavailable',
  details: {},
  retryAfterSeconds: 1,
};

function refusalOfCode(code: string, detail: Body, details: ErrorDetails): Refused {
  if (code === 'not_found') return notFound;
  if (!isErrorCode(code)) return refused('internal_error');
  const { currentStatus } = detail;
  const status = errors[code].status === 409 && typeof currentStatus === 'string' ? { currentStatus } : {};
  return refused(code, { ...status, ...details });
}
