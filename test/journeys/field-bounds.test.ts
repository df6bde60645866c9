/** Every field and query parameter that the published documents describe is accepted at its bounds, and nothing changes.
 *  A new operation is covered by itself; what is beyond them is refused in test/attacks. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { documentOfApi, merchantApi, operatorApi } from '../../gateways/http/openapi/documents.ts';
import { errors } from '../../src/errors.ts';
import type { Answer, Api } from '../../src/cli/demo/api.ts';
import { at, operationsOf, type Described } from '../gateways/http/openapi/reading.ts';
import { declaredOperations } from '../support/doors.ts';
import { fieldsIn, leastOf, sampleOf, valuesAt, withAt, type Schema } from './bounds.ts';
import { Unchanged } from './unchanged.ts';

let unchanged: Unchanged;
let merchantId = '';
let before = '';
beforeAll(async () => {
  unchanged = await Unchanged.start();
  const { body } = await unchanged.galla.admin.must('GET', '/admin/v1/merchants');
  const own = body.list('data').find((one) => one.at('projectId') === unchanged.shop.projectId);
  merchantId = own?.text('id') ?? '';
  before = await operatorsOf(unchanged);
});
afterAll(() => unchanged.galla.stop());
afterEach(async () => {
  await unchanged.check();
  expect(await operatorsOf(unchanged)).toBe(before);
});

/** What a bad request to the operator's API could have changed. */
async function operatorsOf({ galla: { admin }, shop: { projectId } }: Unchanged): Promise<string> {
  const paths = ['merchants', `projects/${projectId}/keys`, 'reviews', 'dead'];
  const lists = await Promise.all(paths.map((path) => admin.must('GET', `/admin/v1/${path}`)));
  // a key is marked as used by every request
  return lists.map(({ text }) => text.replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '')).join('\n');
}

const clientOf = ({ path, security }: Described): Api => {
  if (security.length === 0) return unchanged.galla.nobody;
  return path.startsWith('/admin/') ? unchanged.galla.admin : unchanged.shop.api;
};

/** The path with ids of objects that are there. */
function pathOf({ path }: Described): string {
  const { sessionId, paymentId, refundId, endpointId, linkId, statementId, billed, shop } = unchanged;
  const ids: { readonly [before: string]: string } = {
    checkout: sessionId,
    payments: paymentId,
    refunds: refundId,
    'payment-links': linkId,
    statements: statementId,
    plans: billed.planId,
    customers: billed.customerId,
    subscriptions: billed.subscriptionId,
    invoices: billed.invoiceId,
    webhooks: endpointId,
    projects: shop.projectId,
    merchants: merchantId,
    providers: 'wallet_b',
  };
  return path.replaceAll(/([\w-]+)\/\{\w+\}/g, (whole, before: string) => {
    const id = ids[before];
    if (id === undefined) throw new Error(`no ${whole} is there`);
    return `${before}/${id}`;
  });
}

/** Of an object that nobody has made. */
const elsewhere = ({ path }: Described): string => path.replaceAll(/\{\w+\}/g, 'unknown');

const errorsIn = (answer: Answer): readonly string[] =>
  answer.status === 400 && answer.body.at('error.code') === 'validation_failed'
    ? answer.body.list('error.errors').map((one) => `${one.text('param')} ${one.text('code')}`)
    : [];

const documents = [merchantApi, operatorApi].map((api) =>
  documentOfApi(api, declaredOperations, 'https://pay.example.com'),
);
const operations = documents.flatMap((document) =>
  operationsOf(document).map((operation) => {
    const { schema: shown } = operation.requestBody?.content['application/json'] ?? {};
    const schema =
      shown !== undefined && '$ref' in shown ? at(document, String(shown['$ref']).slice(1)) : shown;
    return { operation, body: schema as Schema | undefined };
  }),
);
const named = <T extends { readonly operation: Described }>(all: readonly T[]) =>
  all.map((one) => [`${one.operation.method} ${one.operation.path}`, one] as const);

describe('bodies', () => {
  const withBody = operations.flatMap(({ operation, body }) =>
    body === undefined ? [] : [{ operation, body }],
  );

  test('there are fields to try', () => {
    expect(withBody.flatMap(({ body }) => fieldsIn(body)).length).toBeGreaterThan(60);
  });

  test.each(named(withBody))('%s: every field at its bounds is accepted', async (_name, one) => {
    const { operation, body } = one;
    const roots = Object.keys(body.properties ?? {});
    const wrong: string[] = [];
    for (const { path, schema } of fieldsIn(body)) {
      // another field is refused, or there is no such object: what is accepted must not change anything
      const poison = operation.path.includes('{') ? undefined : roots.find((name) => name !== path[0]);
      const isArray = poison !== undefined && [body.properties?.[poison]?.type].flat().includes('array');
      for (const value of valuesAt(schema)) {
        const sent = withAt(body, leastOf(body), path, value);
        const answer = await clientOf(operation).send(operation.method, elsewhere(operation), {
          body: poison === undefined ? sent : { ...sent, [poison]: isArray ? 5 : [] },
        });
        const found = errorsIn(answer);
        const isAccepted =
          poison === undefined
            ? answer.status === 404
            : found.some((error) => error.startsWith(`${poison} `)) &&
              !found.some(
                (error) => error.startsWith(`${path.join('.')} `) && !error.endsWith(' mutually_exclusive'),
              );
        if (!isAccepted)
          wrong.push(
            `${path.join('.')} = ${JSON.stringify(value)}: ${answer.status} ${answer.text.slice(0, 200)}`,
          );
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('queries', () => {
  type Parameter = { readonly name: string; readonly required?: boolean; readonly schema: Schema };
  const withQuery = operations.flatMap(({ operation }) => {
    const all = operation.parameters as unknown as readonly (Parameter & { readonly in: string })[];
    const query = all.filter((one) => one.in === 'query' && one.name !== 'metadata');
    // read only beside a file: statements.test.ts has them
    const besideFile = operation.requestBody?.content['text/csv'] !== undefined;
    return query.length === 0 || besideFile ? [] : [{ operation, query }];
  });

  const isStream = ({ responses }: Described): boolean =>
    responses['200']?.content?.['text/event-stream'] !== undefined;
  const isCsv = ({ responses }: Described): boolean => responses['200']?.content?.['text/csv'] !== undefined;

  const least = (query: readonly Parameter[]): [string, string][] =>
    query
      .filter(({ required }) => required === true)
      .map(({ name, schema }) => [name, String(sampleOf(schema))]);

  /** Sent as JSON is asked for, and as CSV where it can be. */
  async function sent(operation: Described, pairs: readonly (readonly [string, string])[]) {
    // what an action needs and may do depends on its subscription: without one there is only the form
    const to = operation.operationId === 'previewSubscriptionAction' ? elsewhere : pathOf;
    const path = `${to(operation)}?${new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()}`;
    const accepts = isCsv(operation) ? ['application/json', 'text/csv'] : ['application/json'];
    return Promise.all(accepts.map((accept) => clientOf(operation).get(path, { headers: { accept } })));
  }

  // a stream would be served, and never end
  test.each(named(withQuery.filter(({ operation }) => !isStream(operation))))(
    '%s: every parameter at its bounds is accepted',
    async (_name, one) => {
      const { operation, query } = one;
      const wrong: string[] = [];
      for (const { name, schema } of query) {
        const others = least(query).filter(([other]) => other !== name);
        const isBounded =
          schema.type !== 'string' || schema.enum !== undefined || schema.maxLength !== undefined;
        if (!isBounded && schema.format === undefined) continue;
        const values = valuesAt(schema).filter((value) => value !== '');
        for (const value of values) {
          for (const answer of await sent(operation, [...others, [name, String(value)]])) {
            if (answer.status !== 200 && answer.status !== errors.payment_not_found.status)
              wrong.push(`${name} = ${String(value)}: ${answer.status} ${answer.text.slice(0, 200)}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe('paths', () => {
  /** The query it cannot do without. */
  const requiredOf = ({ parameters }: Described): string => {
    const needed = (
      parameters as unknown as readonly (Described['parameters'][number] & { readonly schema: Schema })[]
    ).filter((one) => one.in === 'query' && one.required === true);
    const pairs = needed.map(({ name, schema: { enum: [first] = [] } }): [string, string] => [
      name,
      typeof first === 'string' ? first : 'unknown',
    ]);
    return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  };
  const ids = ['unknown', '0', 'a'.repeat(300), '%00', '..%2F..', '%F0%9F%98%80', "'--", '%ff', '{}', 'null'];
  const withId = operations.filter(({ operation }) => operation.path.includes('{'));

  test.each(named(withId))(
    '%s: an object that is not there is unknown, whatever its id',
    async (_name, one) => {
      const { operation, body } = one;
      const wrong: string[] = [];
      for (const id of ids) {
        const path = operation.path.replaceAll(/\{\w+\}/g, id) + requiredOf(operation);
        const sending = body === undefined ? {} : { body: leastOf(body) };
        const answer = await clientOf(operation).send(operation.method, path, sending);
        if (answer.body.at('error.code') !== 'resource_not_found')
          wrong.push(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
      }
      expect(wrong).toEqual([]);
    },
  );
});
