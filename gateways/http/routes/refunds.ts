/** Refunds: create, list, read, complete, cancel.
 *  1. The session decides what may be refunded; nothing is checked here that could change meanwhile.
 *  2. A creation answers with what is known within ten seconds; the provider's answer may come later. */
import { Type, type Static } from 'typebox';
import { notesCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import { isCallOut, refundReasons, refundStatuses } from '../../../actors/checkout-session/refund.ts';
import { refundOf } from '../../../actors/checkout-session/refund-steps.ts';
import { refundView } from '../../../actors/checkout-session/refund-view.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { fieldError } from '../../../src/errors.ts';
import { couldBeId, mintId, placedBeside } from '../../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import { watchUntil } from '../../live/watch-until.ts';
import type { Caller } from '../access/auth.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  askAndShow,
  done,
  noSuch,
  notFound,
  refusalOf,
  refused,
  unavailable,
  type Answer,
  type NotDone,
  type Refused,
} from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { given, listQuery, succeededQuery } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { answerRows, within } from '../route/rows.ts';
import { route, type Call } from '../route/spec.ts';
import { about, text } from '../route/schemas.ts';
import { columnsOf, csvOf, listOf } from '../schemas/parts.ts';
import { cancelledRefund, completedRefund, refund as refundShown } from '../schemas/refund.ts';

export const refunds: Resource = {
  name: 'Refunds',
  description: 'A refund gives a payment back to the buyer, in whole or in part.',
};

/** How long a creation waits for the provider; our call to the provider ends after ten seconds, too. */
const answerMsMax: DurationMs = seconds(10);

const createBody = Type.Object({
  paymentId: Type.String({ description: 'The payment to give back.' }),
  // more than is left is refused by the session, which alone knows how much that is
  amount: Type.Integer({ minimum: 1, means: 'amount', description: 'In paisa: at most what is left of it.' }),
  reason: Type.Enum([...refundReasons], { description: 'Why it is given back.' }),
  notes: Type.Optional(about('Your internal notes. No buyer sees them.', text(notesCharactersMax))),
  mobileNumber: Type.Optional(
    Type.String({
      pattern: '^[0-9]{10}$',
      says: '10 digits',
      description: "The buyer's number, 10 digits, where the provider asks for one.",
    }),
  ),
});

const endBody = Type.Object({
  notes: Type.Optional(about('Added to the notes of the refund, on a new line.', text(notesCharactersMax))),
});

const refundsQuery = Type.Object({
  paymentId: Type.Optional(Type.String({ description: 'Only refunds of this payment.' })),
  status: Type.Optional(Type.Enum([...refundStatuses], { description: 'Only refunds in this status.' })),
  ...succeededQuery,
  ...listQuery,
});

type Parts = Pick<ApiParts, 'client' | 'scheduler'>;

export const refundRoutes = (parts: Parts) => [
  route({
    method: 'POST',
    at: { api: '/v1/refunds', dashboard: true, command: 'payment.refund' },
    resource: refunds,
    operation: 'createRefund',
    summary: 'Refund a payment in whole or in part',
    description:
      'Where the provider has a refund API, it is called once and its answer awaited for ten seconds: the ' +
      'refund is then `succeeded`, `failed` or `processing`. Where it has none, the refund is ' +
      '`requires_action`: refund it in the provider’s merchant portal, then mark it complete.',
    answer: refundShown,
    exampleBody: {
      paymentId: 'pay_wfvvvc5fkjjqm0pf',
      amount: 25_050,
      reason: 'customer_request',
      notes: 'Returned one item',
    },
    errors: [
      'resource_not_found',
      'payment_not_refundable',
      'amount_exceeds_refundable',
      'refund_limit_reached',
    ],
    key: 'secret',
    creates: true,
    reply: 201,
    mints: { refund: () => mintId('ref') },
    body: createBody,
    handle: (call) => created(parts, call),
  }),
  route({
    method: 'GET',
    at: { api: '/v1/refunds', dashboard: true },
    resource: refunds,
    operation: 'listRefunds',
    summary: 'List refunds',
    description:
      'Newest first. With `succeededFrom` or `succeededTo` only refunds that succeeded, the latest success first.',
    answer: listOf(refundShown),
    key: 'secret',
    reply: 200,
    query: refundsQuery,
    csv: { columns: columnsOf(refundShown), name: 'refunds' },
    otherTypes: { 'text/csv': csvOf(refundShown) },
    handle({ caller: { scope }, query, wantsCsv }) {
      const { paymentId, status } = query;
      // a refund that has succeeded does not change any more
      const by = within('updatedAt', query.succeededFrom, query.succeededTo);
      const filters = {
        equals: given<string>({ paymentId, status }),
        ...(by.by === undefined ? {} : { anyOf: { status: ['succeeded'] } }),
      };
      return answerRows(parts.client, { kind: 'refund', scope, listing: query, filters, ...by }, wantsCsv);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/refunds/{id}' },
    resource: refunds,
    operation: 'readRefund',
    summary: 'Read a refund',
    answer: refundShown,
    object: 'refund',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const row = await rowOf(parts, 'refund', params.id, caller.scope);
      return row === null ? notFound : done(row.body);
    },
  }),
  endingDoor(
    parts,
    'complete',
    'Mark a refund as paid out in the provider’s portal',
    'Only while it is `requires_action`. Your notes are added to its notes on a new line.',
  ),
  endingDoor(
    parts,
    'cancel',
    'Give up a refund that requires action',
    'Only while it is `requires_action`. It becomes `failed`, and its amount can be refunded again.',
  ),
];

const endings = {
  complete: { answer: completedRefund, exampleBody: { notes: 'Paid out in the portal' } },
  cancel: { answer: cancelledRefund, exampleBody: { notes: 'The buyer kept it' } },
} as const;

const endingDoor = (parts: Parts, how: 'complete' | 'cancel', summary: string, description: string) =>
  route({
    method: 'POST',
    at: { api: `/v1/refunds/{id}/${how}`, dashboard: true },
    resource: refunds,
    operation: `${how}Refund`,
    summary,
    description,
    ...endings[how],
    errors: ['invalid_state'],
    object: 'refund',
    key: 'secret',
    reply: 200,
    body: endBody,
    async handle({ caller, params, body, identity }) {
      const id = params.id;
      const row = await rowOf(parts, 'refund', id, caller.scope);
      if (row === null) return notFound;
      const sessionId = row.owner.id;
      return askAndShow(
        parts.client,
        checkoutSessionAt(sessionId),
        `${how}Refund`,
        { refundId: id, notes: notesIn(body) },
        { by: 'merchant', scope: caller.scope, ...identity },
        (session: Snapshot<SessionState>) => shown(refundIn(session, id)),
      );
    },
  });

/** Empty notes are none. */
const notesIn = ({ notes = '' }: { readonly notes?: string }): string | null => (notes === '' ? null : notes);

type Creation = Call<'secret', Static<typeof createBody>, object, object, { readonly refund: string }>;

async function created(parts: Parts, { caller, body, ids, identity }: Creation): Promise<Answer> {
  const { paymentId, amount, reason, mobileNumber = null } = body;
  const payment = await rowOf(parts, 'payment', paymentId, caller.scope);
  if (payment === null) {
    const message = noSuch('payment', paymentId, caller.mode);
    return refused('resource_not_found', { param: 'paymentId', message });
  }
  if (mobileNumber === null && needsMobile(caller, payment))
    return invalid([fieldError('mobileNumber', 'required')]);
  const sessionId = payment.owner.id;
  // in the slot of its session; a repeat brings the same id again
  const id = placedBeside('ref', sessionId, ids.refund.slice('ref_'.length));
  return askAndShow(
    parts.client,
    checkoutSessionAt(sessionId),
    'refund',
    { id, paymentId, amount, reason, notes: notesIn(body), mobileNumber },
    { by: 'merchant', scope: caller.scope, ...identity },
    (session: Snapshot<SessionState>) => afterCall(parts, session, id),
    notOpened,
  );
}

/** The merchant's own setting for this payment's provider. */
const needsMobile = ({ providers }: Caller, { body }: Row): boolean =>
  providers.some((each) => each.provider === body['provider'] && each.refundsNeedMobile);

function notOpened(result: NotDone): Refused {
  const remaining = result.is === 'refused' ? result.detail['remaining'] : undefined;
  return typeof remaining === 'number'
    ? refusalOf(result, { message: `Only ${remaining} paisa can still be refunded.` })
    : refusalOf(result);
}

interface CurrentRefund {
  readonly view: ReturnType<typeof refundView>;
  /** The provider's answer to its call is still awaited. */
  readonly isCalled: boolean;
}

/** The answer, once the call has ended, or after ten seconds. */
async function afterCall(parts: Parts, session: Snapshot<SessionState>, id: string): Promise<Answer> {
  const opened = refundIn(session, id);
  if (opened !== null && !opened.isCalled) return shown(opened);
  const { id: sessionId, scope } = session.meta;
  const current = async (): Promise<CurrentRefund | null> =>
    refundIn(await parts.client.read<SessionState>(checkoutSessionAt(sessionId), scope), id);
  const ended = await watchUntil(
    parts,
    sessionId,
    async () => {
      const now = await current();
      return now === null || now.isCalled ? null : now;
    },
    answerMsMax,
  );
  return shown(ended ?? (await current()));
}

/** The refund as its session has it. */
function refundIn(session: Snapshot<SessionState> | null, id: string): CurrentRefund | null {
  const refund = session === null ? null : refundOf(session.state, id);
  if (session === null || refund === null) return null;
  return { view: refundView(refund, session.meta), isCalled: isCallOut(refund) };
}

const shown = (now: CurrentRefund | null): Answer => (now === null ? unavailable : done(now.view));

const prefixes = { payment: 'pay', refund: 'ref' } as const;

/** A row of the caller's; null for any other text. */
async function rowOf(
  { client }: Parts,
  kind: keyof typeof prefixes,
  id: string,
  scope: Scope,
): Promise<Row | null> {
  return couldBeId(prefixes[kind], id) ? client.readRow(kind, id, scope) : null;
}
