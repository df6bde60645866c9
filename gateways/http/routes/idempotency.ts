/** GET /v1/idempotency/{key}: what a key was used for, and its stored answer. */
import type { IdempotencyState } from '../../../actors/idempotency-key/messages.ts';
import type { Seal } from '../../../src/kernel/seal.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import { done, notFound } from '../route/answer.ts';
import { isIdempotencyKey, storedText } from '../route/idempotency.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { idempotencyRecord } from '../schemas/idempotency.ts';
import { allOf } from '../schemas/parts.ts';

const idempotency: Resource = {
  name: 'Idempotency',
  description:
    'With an `Idempotency-Key` a request may be sent again: it is executed once, and ' +
    'answered with the same bytes.',
};

const recordsMax = 100;

export const idempotencyRoutes = ({
  client,
  seal,
  keyedSessions,
}: Pick<ApiParts, 'client' | 'seal' | 'keyedSessions'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/idempotency/{key}' },
    resource: idempotency,
    operation: 'readIdempotencyKey',
    summary: 'Read what an Idempotency-Key was used for',
    description: 'Every use of the key in the project and mode: one for each method and path.',
    answer: allOf(idempotencyRecord),
    object: 'request with the Idempotency-Key',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const key = params.key;
      if (!isIdempotencyKey(key)) return notFound;
      const { items } = await client.list({
        kind: 'idempotency_key',
        scope: caller.scope,
        equals: { key },
        page: 1,
        limit: recordsMax,
      });
      const now = client.now(caller.scope);
      // a list of a kind holds documents of that kind
      const records = items.map((item) => item as unknown as Snapshot<IdempotencyState>);
      const session = await keyedSessions.entryOf(caller.scope, key);
      const data = [
        ...(session === null ? [] : [session]),
        ...records.flatMap((record) => entries(record, seal, now)),
      ];
      return data.length === 0 ? notFound : done({ data });
    },
  }),
];

/** One entry, or none for an expired record. */
function entries(record: Snapshot<IdempotencyState>, seal: Seal, now: Instant): readonly object[] {
  const { state, view, meta } = record;
  if (state.status === 'released' || state.status === 'closed' || state.expiresAt <= now) return [];
  const response = state.status === 'completed' ? responseOf(storedText(seal, meta.id, state), state) : null;
  return [{ ...view, response }];
}

/** Fields of answers that are shown only once; `key` is the text of a new API key. */
const secrets: ReadonlySet<string> = new Set(['signing_secret', 'ticket', 'key']);

/** The stored body; the secrets of a sealed one stay hidden. They are fields of the answer itself: a field of
 *  `metadata` may have the same name. */
function responseOf(text: string, { sealed }: { readonly sealed: boolean }): unknown {
  const body: object = JSON.parse(text) as object;
  if (!sealed) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, secrets.has(name) ? null : value]),
  );
}
