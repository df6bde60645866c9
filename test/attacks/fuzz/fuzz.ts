/** Fuzzing from the published documents: random requests to every operation, each answer held against the schemas.
 *  1. An answer is one of the described statuses, media types, headers and bodies, and never a 5xx.
 *  2. A seed gives the same drafts again; fast-check shrinks a request that failed. */
import fc, { type Arbitrary, type Parameters } from 'fast-check';
import { Body, type Api } from '../../../src/cli/demo/api.ts';
import {
  at,
  escaped,
  judgeBy,
  operationsOf,
  type Described,
  type Json,
  type Judge,
} from '../../gateways/http/openapi/reading.ts';
import type { Stage } from '../attack.ts';
import { draftsOf, type Draft, type Who } from './requests.ts';

export interface FuzzOptions {
  readonly url: string;
  readonly stage: Stage;
  /** The merchants' first: it gets the most. */
  readonly documents: readonly Json[];
  readonly seed: number;
  /** When it ends: after so long, or after so many mixed requests, where the machine's speed should not matter. */
  readonly until: { readonly ms: number } | { readonly requests: number };
  /** This operation alone, by its operationId. */
  readonly operation?: string | undefined;
  /** Of a failure, as fast-check named it: this request alone. */
  readonly path?: string | undefined;
}

export interface FuzzReport {
  readonly requests: number;
  /** Every operation that takes part. */
  readonly operations: readonly string[];
  /** Answers by status class, by operation. */
  readonly byOperation: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** How it failed; null: it did not. */
  readonly failure: string | null;
}

const answeredWithinMs = 30_000;

/** What a service says of itself. */
export const documentsAt = (api: Api): Promise<readonly Json[]> =>
  Promise.all(
    ['/v1/openapi.json', '/admin/v1/openapi.json'].map(
      async (path) => (await api.must('GET', path)).body.value as Json,
    ),
  );

/** Requests under way at once. */
const lanes = 4;

/** Requests to each operation before all are mixed: none is left out, however little time there is. */
const runsOfEach = 3;

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const runner = new Fuzzer(options);
  const all = options.documents.map((document) => ({
    document,
    operations: operationsOf(document).filter((one) => isFuzzed(one) && isMeant(options, one)),
  }));
  const failure = (await eachOf(runner, options, all)) ?? (await mixed(runner, options, all));
  const { requests, byOperation } = runner;
  const operations = all.flatMap((one) => one.operations.map(nameOf));
  return { requests, operations, byOperation, failure };
}

const isMeant = ({ operation }: FuzzOptions, { operationId }: Described): boolean =>
  operation === undefined || operation === operationId;

interface Fuzzed {
  readonly document: Json;
  readonly operations: readonly Described[];
}

async function eachOf(
  runner: Fuzzer,
  { seed, path }: FuzzOptions,
  all: readonly Fuzzed[],
): Promise<string | null> {
  if (path !== undefined) return null;
  for (const { document, operations } of all) {
    for (const operation of operations) {
      const drafts = draftsFor([{ document, operations: [operation] }]);
      const failure = await failureOf(runner, drafts, { seed, numRuns: runsOfEach });
      if (failure !== null) return `--operation ${operation.operationId} ${failure}`;
    }
  }
  return null;
}

/** One operation alone is drawn in the same way, so that a path found for it leads to the same request. */
function draftsFor(all: readonly Fuzzed[]): Arbitrary<Draft> {
  const some = all.filter(({ operations }) => operations.length > 0);
  return fc.oneof(
    ...some.map(({ document, operations }, at) => ({
      weight: at === 0 ? 4 : 1,
      arbitrary: draftsOf(document, operations),
    })),
  );
}

async function mixed(runner: Fuzzer, options: FuzzOptions, all: readonly Fuzzed[]): Promise<string | null> {
  const { seed, until, path } = options;
  const drafts = draftsFor(all);
  const seeds = path === undefined ? Array.from({ length: lanes }, (_, lane) => seed + lane) : [seed];
  const bound =
    'ms' in until
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: until.ms }
      : { numRuns: Math.ceil(until.requests / seeds.length) };
  const failures = await Promise.all(
    seeds.map((one) =>
      failureOf(runner, drafts, { ...bound, seed: one, ...(path === undefined ? {} : { path }) }),
    ),
  );
  return failures.find((one) => one !== null) ?? null;
}

/** How it failed, with what replays it; null: it did not. */
async function failureOf(
  runner: Fuzzer,
  drafts: Arbitrary<Draft>,
  how: Parameters<[Draft]>,
): Promise<string | null> {
  const property = fc.asyncProperty(drafts, async (draft) => {
    const problem = await runner.problemOf(draft);
    if (problem !== null) throw new Error(problem);
  });
  const { failed, seed, counterexamplePath, errorInstance } = await fc.check(property, how);
  return failed ? `--seed ${seed} --path ${counterexamplePath ?? ''}: ${String(errorInstance)}` : null;
}

/** An advance takes up to 25 s by design, while all timers of a year fire; a document is always the same. */
const isFuzzed = ({ operationId }: Described): boolean =>
  operationId !== 'advanceTestClock' && operationId !== 'readOpenApi';

class Fuzzer {
  requests = 0;
  readonly byOperation = new Map<string, Map<number, number>>();
  private readonly options: FuzzOptions;
  private readonly judges: ReadonlyMap<string, Judge>;
  private readonly headersOfHttp = new Set(ofHttp);
  /** Ids that were answered, by their prefixes. */
  private readonly ids = new Map<string, string[]>();

  constructor(options: FuzzOptions) {
    this.options = options;
    this.judges = new Map(
      options.documents.flatMap((document) => {
        const judge = judgeBy(document);
        return operationsOf(document).map((operation) => [nameOf(operation), judge] as const);
      }),
    );
    const { stage } = options;
    for (const id of [stage.sessionId, stage.paymentId, stage.refundId, stage.endpointId]) this.keep(id);
  }

  async problemOf(draft: Draft): Promise<string | null> {
    const { operation, isHead } = draft;
    const sent = this.requestOf(draft);
    const leave = new AbortController();
    const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(answeredWithinMs)]);
    const answer = await fetch(sent.url, { ...sent.init, redirect: 'manual', signal });
    const isStream = (answer.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const text = isStream ? '' : await answer.text();
    leave.abort();
    this.count(operation, answer.status);
    const problem = this.judged(operation, answer, text, isHead || isStream);
    if (problem === null) return null;
    const { method, headers, body } = sent.init;
    const request = `${method} ${sent.url} ${JSON.stringify(headers)} ${JSON.stringify(body)}`;
    return `${operation.operationId}: ${problem}\n  ${request}\n  ${answer.status} ${text.slice(0, 1000)}`;
  }

  private requestOf({ operation, ids, query, headers, who, body: drawn, named, isHead }: Draft) {
    const body = named === null || drawn === null ? drawn : this.namedIn(drawn, named);
    const all = [...ids];
    const path = operation.path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_whole, before: string, name: string) => {
      const id = all.shift() ?? '';
      return `${before}/${encodeURIComponent(typeof id === 'number' ? this.idAt(before, name, id) : wellFormed(id))}`;
    });
    const search = new URLSearchParams(
      query.map(([name, value]): [string, string] => [name, this.named(name, named) ?? value]),
    ).toString();
    const key = this.keyOf(operation, who);
    return {
      url: `${this.options.url}${path}${search === '' ? '' : `?${search}`}`,
      init: {
        method: isHead ? 'HEAD' : operation.method,
        headers: {
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        },
        body,
      },
    };
  }

  /** The body, about an object that is there. */
  private namedIn(text: string, place: number): string {
    const value = objectIn(text);
    if (value === null) return text;
    const named = Object.entries(value).map(([name, one]) => [name, this.named(name, place) ?? one]);
    return JSON.stringify(Object.fromEntries(named));
  }

  /** null: the field names no object. */
  private named(field: string, place: number | null): string | null {
    const prefix = place === null ? undefined : prefixesOfFields[field];
    const known = this.ids.get(prefix ?? '') ?? [];
    return known[(place ?? 0) % Math.max(1, known.length)] ?? null;
  }

  private keyOf({ path, security }: Described, who: Who): string | null {
    const { stage } = this.options;
    if (security.length === 0 || who === 'nobody') return null;
    if (path.startsWith('/admin/')) return who === 'stranger' ? stage.secret : stage.adminToken;
    return who === 'own' ? stage.secret : stage[who];
  }

  /** An object of the kind that the path names, or what the stage has of it. */
  private idAt(before: string, name: string, place: number): string {
    const { stage } = this.options;
    const prefix = prefixes[name === 'provider' ? 'providers' : before];
    if (before === 'providers') return ['wallet_a', 'wallet_b', 'qr_a', 'bank_a'][place % 4] ?? '';
    if (before === 'idempotency') return ['a', 'b', 'c', stage.usedKey][place % 4] ?? '';
    const known = this.ids.get(prefix ?? '') ?? [];
    return known[place % Math.max(1, known.length)] ?? 'unknown';
  }

  private judged(operation: Described, answer: Response, text: string, isBodiless: boolean): string | null {
    const { status, headers } = answer;
    if (status >= 500 && status !== 502) return 'failed on our side';
    const response = operation.responses[String(status)];
    if (response === undefined) return 'a status that is not described';
    const names = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
    const unknown = [...headers.keys()].filter((name) => !names.has(name) && !this.headersOfHttp.has(name));
    if (unknown.length > 0) return `headers that are not described: ${unknown.join()}`;
    const id = headers.get('x-request-id');
    if (id === null) return 'no request id';
    if (isBodiless || status === 304) return null;
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    const media = response.content?.[type];
    if (media === undefined) return `${type} is not described`;
    if (type !== 'application/json') return null;
    const value = withoutMadeUp(JSON.parse(text) as unknown);
    const pointer =
      refOf(media.schema) ?? `${operation.at}/responses/${status}/content/${escaped(type)}/schema`;
    const wrong = this.judges.get(nameOf(operation))?.(pointer, value) ?? ['no judge'];
    if (wrong.length > 0) return wrong.join('; ');
    const error = at(value, '/error');
    if (typeof error === 'object' && error !== null) {
      const said = at(error, '/request_id');
      // a replay has the body of the first answer
      const isSame = said === id || headers.get('idempotent-replayed') === 'true';
      return isSame ? null : 'another request id in the body';
    }
    if (operation.method === 'DELETE') this.forget(at(value, '/id'));
    else this.learn(value);
    return null;
  }

  /** Ids of objects that later requests may name. */
  private learn(value: unknown): void {
    const body = new Body(value);
    const found = [
      body.at('id'),
      body.at('paymentId'),
      body.at('merchant.id'),
      body.at('project.id'),
      body.at('data.0.id'),
    ];
    for (const id of found) if (typeof id === 'string') this.keep(id);
  }

  private keep(id: string): void {
    const prefix = id.split('_')[0] ?? '';
    const { merchantId, projectId } = this.options.stage;
    // whose keys are used here must stay as it is
    if (id === merchantId || id === projectId) return;
    const known = this.ids.get(prefix) ?? [];
    if (known.length < idsMax && !known.includes(id)) known.push(id);
    this.ids.set(prefix, known);
  }

  private forget(id: unknown): void {
    for (const known of this.ids.values()) {
      const place = known.indexOf(String(id));
      if (place >= 0) known.splice(place, 1);
    }
  }

  private count(operation: Described, status: number): void {
    this.requests++;
    const name = nameOf(operation);
    const statuses = this.byOperation.get(name) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.byOperation.set(name, statuses);
  }
}

/** A schema by name is compiled once for all that refer to it. */
const refOf = ({ $ref: ref }: Json): string | null => (typeof ref === 'string' ? ref.slice(1) : null);

/** Events that were made up have whatever fields they were given. */
function withoutMadeUp(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMadeUp);
  if (typeof value !== 'object' || value === null) return value;
  if ('test' in value && 'data' in value) return { ...value, data: { message: 'ping' } };
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutMadeUp(one)]));
}

const idsMax = 25;
const nameOf = ({ method, path }: Described): string => `${method} ${path}`;

/** Half a character cannot be part of an address. */
const wellFormed = (text: string): string =>
  // URL parsers take `.` and `..` out of a path, also as %2e: the request would be another one
  /^\.{0,2}$/.test(text) ? 'x' : text.replaceAll(/\p{Surrogate}/gu, '-');

/** The prefix of the ids that follow this part of a path. */
const prefixes: { readonly [before: string]: string } = {
  checkout: 'cs',
  qr: 'cs',
  payments: 'pay',
  refunds: 'ref',
  webhooks: 'we',
  deliveries: 'whd',
  events: 'evt',
  merchants: 'mer',
  projects: 'prj',
  keys: 'key',
  'payment-links': 'lnk',
  plans: 'bp',
  customers: 'bc',
  subscriptions: 'sub',
  invoices: 'inv',
};

/** The prefix of the ids that a field or parameter of this name holds. */
const prefixesOfFields: { readonly [field: string]: string } = {
  paymentId: 'pay',
  sessionId: 'cs',
  planId: 'bp',
  customerId: 'bc',
  subscriptionId: 'sub',
  invoiceId: 'inv',
  eventId: 'evt',
  objectId: 'cs',
  query: 'pay',
  lastEventId: 'evt',
};

function objectIn(text: string): object | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Headers of HTTP itself, of CORS and of the server. */
const ofHttp = [
  'content-type',
  'content-length',
  'content-encoding',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'uwebsockets',
  'access-control-expose-headers',
];
