/** The simulator's control doors, for the sandbox secret key of the owning project.
 *  1. A key sees and changes its own project's payments; another project's payment is 404. */
import { simulatorAt, type SimulatedPaymentState } from '../../actors/simulated-payment/messages.ts';
import type { JsonValue } from '../../src/kernel/canonical-json.ts';
import { assert } from '../../src/kernel/assert.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import { fieldError, type FieldError } from '../../src/errors.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { refusalReply } from '../http/access/gate.ts';
import { withIgnored } from '../http/route/unknown-names.ts';
import { noSuch } from '../http/route/answer.ts';
import { errorReply, errorReplyOf, jsonReply, none } from '../http/route/reply.ts';
import { isJsonType, readObject, type JsonObject } from '../http/route/request.ts';
import { knownPayment, referenceOf, askPayment, type Known, type SimulatorDeps } from './payments.ts';
import { faultFields, faultsIn } from './fault-form.ts';

const paymentsShownMax = 100;
const resetPage = 100;
/** 100 000 payments; a project that has more is reset by repeated calls. */
const resetRoundsMax = 1000;

export const controlDoors = (deps: SimulatorDeps): readonly Door[] => [
  {
    method: 'GET',
    path: '/sim/control/payments',
    handle: guarded(deps, list, { query: ['provider', 'reference'] }),
  },
  {
    method: 'POST',
    path: '/sim/control/payments/{reference}/{command}',
    handle: guarded(deps, command, {
      exists: ({ params }) => commandOf(params['command']) !== undefined,
      fields: ({ params }) => (params['command'] === 'refund' ? ['amount'] : []),
    }),
  },
  {
    method: 'PUT',
    path: '/sim/control/faults',
    handle: guarded(deps, setFaults, { fields: () => ['faults'], entries: { faults: faultFields } }),
  },
  { method: 'POST', path: '/sim/control/reset', handle: guarded(deps, reset, {}) },
];

type Guarded = (client: Client, scope: Scope, request: DoorRequest, body: JsonObject) => Promise<DoorReply>;

/** The field names that a door reads; any other is ignored, and listed in the answer. */
interface Reads {
  /** Whether the address exists; by default it does. */
  readonly exists?: (request: DoorRequest) => boolean;
  readonly query?: readonly string[];
  readonly fields?: (request: DoorRequest) => readonly string[];
  /** List -> the fields of its entries. */
  readonly entries?: { readonly [list: string]: readonly string[] };
}

const guarded =
  (deps: SimulatorDeps, door: Guarded, reads: Reads): Door['handle'] =>
  async (request) => {
    const caller = await deps.authenticate(request);
    if (!('scope' in caller)) return caller;
    const reply = await answered(deps.client, caller.scope, request, door, reads);
    return { ...reply, headers: { ...caller.headers, ...reply.headers } };
  };

async function answered(
  client: Client,
  scope: Scope,
  request: DoorRequest,
  door: Guarded,
  reads: Reads,
): Promise<DoorReply> {
  if (reads.exists?.(request) === false) return errorReplyOf(undefined, 'endpoint_not_found', request);
  const input = bodyIn(request);
  if (!('fields' in input)) return input;
  const reply = await door(client, scope, request, input.fields);
  return { ...reply, headers: withIgnored(reply.headers ?? none, ignoredIn(request, input.fields, reads)) };
}

function ignoredIn(
  request: DoorRequest,
  body: JsonObject,
  { query = [], fields, entries = {} }: Reads,
): readonly string[] {
  const read = fields?.(request) ?? [];
  const unread = Object.keys(body).filter((name) => !read.includes(name));
  const within = Object.entries(entries).flatMap(([name, known]) => {
    const list = body[name];
    return Array.isArray(list) ? list.flatMap((entry, at) => unreadIn(entry, known, `${name}[${at}]`)) : [];
  });
  const asked = [...new URLSearchParams(request.rawQuery).keys()].filter((name) => !query.includes(name));
  return [...unread, ...within, ...asked];
}

const unreadIn = (entry: JsonValue, known: readonly string[], at: string): readonly string[] =>
  typeof entry === 'object' && entry !== null && !Array.isArray(entry)
    ? Object.keys(entry).flatMap((name) => (known.includes(name) ? [] : [`${at}.${name}`]))
    : [];

async function list(client: Client, scope: Scope, request: DoorRequest): Promise<DoorReply> {
  const query = new URLSearchParams(request.rawQuery);
  const provider = query.get('provider');
  const reference = query.get('reference');
  if (reference !== null) {
    const known = await knownPayment(client, paymentIdOf(reference), scope);
    const shown = known !== null && (provider === null || known.state.provider === provider);
    return data(shown ? [known] : []);
  }
  const { items } = await client.list({
    kind: 'simulated_payment',
    scope,
    page: 1,
    limit: paymentsShownMax,
    ...(provider === null ? {} : { equals: { provider } }),
  });
  // a simulated payment's document is its state
  return data(
    items.map(({ state, meta }) => ({
      paymentId: meta.id,
      scope,
      state: state as unknown as SimulatedPaymentState,
    })),
  );
}

const paymentIdOf = (reference: string): string => reference.replaceAll('-', '_');

const data = (payments: readonly Known[]): DoorReply =>
  jsonReply(200, JSON.stringify({ data: payments.map(shown) }));

const shown = ({ paymentId, state }: Known): object => ({
  provider: state.provider,
  reference: referenceOf(paymentId),
  state: state.status,
  ledger: { amount: state.amount, refunded: state.refunded, refundCalls: state.refundCalls ?? 0 },
  log: state.log.map(({ at, call, request, response }) => ({ at: iso(at), call, request, response })),
});

const commands = ['open', 'pay', 'decline', 'cancel', 'refund'] as const;
type Command = (typeof commands)[number];
const commandOf = (text: string | undefined): Command | undefined => commands.find((each) => each === text);

async function command(
  client: Client,
  scope: Scope,
  request: DoorRequest,
  body: JsonObject,
): Promise<DoorReply> {
  const { reference = '' } = request.params;
  const name = commandOf(request.params['command']);
  assert(name !== undefined, 'a command that exists');
  const known = await knownPayment(client, paymentIdOf(reference), scope);
  if (known === null) return unknownReference(request);
  const amount = name === 'refund' ? amountIn(body) : null;
  if (amount === undefined) return invalid(request, [fieldError('amount', 'amount_must_be_integer')]);
  const result =
    name === 'refund'
      ? await askPayment(client, known, name, { amount }, 'merchant')
      : await askPayment(client, known, name, {}, 'merchant');
  if (result.is !== 'ok') return refusal(request, result, known);
  const now = await knownPayment(client, known.paymentId, scope);
  return jsonReply(200, JSON.stringify(shown(now ?? known)));
}

function unknownReference({ requestId, params }: DoorRequest): DoorReply {
  const message = noSuch('simulated payment', params['reference'] ?? '', 'sandbox');
  return errorReply('resource_not_found', requestId, { param: 'reference', message });
}

/** Paisa; null for the whole remainder, undefined for an invalid amount. */
function amountIn(body: JsonObject): number | null | undefined {
  const amount = body['amount'] ?? null;
  if (amount === null) return null;
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 ? amount : undefined;
}

function refusal(request: DoorRequest, result: AskResult, known: Known): DoorReply {
  if (result.is === 'refused' && result.code === 'invalid_state') {
    return errorReply('invalid_state', request.requestId, { currentStatus: known.state.status });
  }
  if (result.is === 'refused') return unknownReference(request);
  return errorReply(result.is === 'internal' ? 'internal_error' : 'service_unavailable', request.requestId);
}

async function setFaults(
  client: Client,
  scope: Scope,
  request: DoorRequest,
  body: JsonObject,
): Promise<DoorReply> {
  const read = faultsIn(body);
  if ('errors' in read) return invalid(request, read.errors);
  const { faults } = read;
  const result = await client.ask(simulatorAt(scope), 'setFaults', { faults }, { by: 'merchant', scope });
  if (result.is !== 'ok') return errorReply('service_unavailable', request.requestId);
  return jsonReply(200, JSON.stringify({ faults }));
}

/** Forgets this project's payments and clears all faults. */
async function reset(client: Client, scope: Scope, request: DoorRequest): Promise<DoorReply> {
  const merchant = { by: 'merchant', scope } as const;
  const cleared = await client.ask(simulatorAt(scope), 'setFaults', { faults: [] }, merchant);
  let forgotten = 0;
  let failed = cleared.is !== 'ok';
  for (let round = 0; round < resetRoundsMax && !failed; round++) {
    const { items } = await client.list({ kind: 'simulated_payment', scope, page: 1, limit: resetPage });
    if (items.length === 0) break;
    const results = await Promise.all(
      items.map(({ meta }) => askPayment(client, { paymentId: meta.id, scope }, 'forget', {}, 'merchant')),
    );
    failed = results.some((result) => result.is !== 'ok');
    forgotten += items.length;
  }
  if (failed) return errorReply('service_unavailable', request.requestId);
  return jsonReply(200, JSON.stringify({ forgotten }));
}

function invalid(request: DoorRequest, errors: readonly FieldError[]): DoorReply {
  const [first] = errors;
  return errorReply('validation_failed', request.requestId, {
    errors,
    ...(first === undefined ? {} : { param: first.param, message: first.message }),
  });
}

/** The JSON object sent, empty for no body; an error reply when it is neither. */
function bodyIn(request: DoorRequest): { readonly fields: JsonObject } | DoorReply {
  if (request.body.length === 0) return { fields: {} };
  if (!isJsonType(request.header('content-type')))
    return errorReply('unsupported_media_type', request.requestId);
  const read = readObject(request.body);
  return 'refusal' in read ? refusalReply(read.refusal, request.requestId) : { fields: read.object };
}
