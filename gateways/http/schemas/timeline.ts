/** The timeline of a payment. */
import { Type, type Static } from 'typebox';
import { shown } from '../route/description.ts';
import { anyObject, object, orNull, text, textOrNull, time } from './parts.ts';

const schema = object('TimelineEntry', 'One thing that happened to a payment.', {
  at: time('When it happened.'),
  kind: text(
    'What happened: `transition`, `provider_call`, `provider_callback`, ' +
      '`provider_socket`, `buyer_return`, `poll`, `refused`, `refund`, `webhook_attempt`, ' +
      '`operator`, `note`. More may follow.',
  ),
  summary: text('In words, for people.'),
  from: textOrNull('The status before, for a transition.'),
  to: textOrNull('The status after, for a transition.'),
  cause: textOrNull(
    'The reason: the trigger of a transition, why a look-up was made, the event of a webhook.',
  ),
  durationMs: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'How long a call took, in milliseconds.',
  }),
  detail: orNull(
    anyObject('Depends on the kind. Keys, tokens and PINs are removed.'),
    'What was said: depends on the kind.',
  ),
});

type Entry = Static<typeof schema>;

const change = (at: string, summary: string, from: string | null, to: string, cause: string): Entry => ({
  at,
  kind: 'transition',
  summary,
  from,
  to,
  cause,
  durationMs: null,
  detail: {},
});

const poll: Entry = {
  at: '2026-11-21T15:33:10.950Z',
  kind: 'poll',
  summary: 'Lookup: paid, amount and reference equal',
  from: null,
  to: null,
  cause: 'buyer_return',
  durationMs: 5,
  detail: {
    outcome: 'paid',
    answered: true,
    amountPaisa: 125_050,
    reference: 'pxwfvvvc5fkjjqm0pf',
    httpStatus: 200,
    raw:
      '{"pidx":"pxwfvvvc5fkjjqm0pf","total_amount":125050,"status":"Completed",' +
      '"transaction_id":"TXWFVVVC5FKJJQM0PF","fee":0,"refunded":false}',
  },
};

export const timelineEntry = shown(schema, poll);

/** Of a payment that was paid at the first attempt. */
export const timeline: readonly Entry[] = [
  change('2026-11-21T15:33:10.884Z', 'Attempt 1 with wallet_b', null, 'pending', 'start'),
  {
    at: '2026-11-21T15:33:10.890Z',
    kind: 'provider_call',
    summary: 'Start: wallet_b has opened the attempt',
    from: null,
    to: null,
    cause: 'start',
    durationMs: 3,
    detail: { outcome: 'started' },
  },
  {
    at: '2026-11-21T15:33:10.941Z',
    kind: 'buyer_return',
    summary: 'Buyer came back: Completed',
    from: null,
    to: null,
    cause: 'return',
    durationMs: null,
    detail: { from: 'return', says: 'paid', verified: false },
  },
  change(
    '2026-11-21T15:33:10.941Z',
    'Payment pending to processing',
    'pending',
    'processing',
    'buyer_return',
  ),
  poll,
  change(
    '2026-11-21T15:33:10.950Z',
    'Payment processing to success',
    'processing',
    'success',
    'buyer_return',
  ),
];
