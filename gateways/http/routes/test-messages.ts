/** The e-mails and SMS of the sandbox: kept, and never sent. */
import { Type } from 'typebox';
import type { ApiParts } from '../api-parts.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { route } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { capturedMessage } from '../schemas/message.ts';
import { sandbox } from './test-clock.ts';

const messagesQuery = Type.Object({
  channel: Type.Optional(Type.Enum(['email', 'sms'], { description: 'Only messages of this kind.' })),
  to: Type.Optional(Type.String({ description: 'Only messages to this address or number.' })),
  ...listQuery,
});

export const testMessageRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'GET',
    at: { api: '/v1/test/messages' },
    resource: sandbox,
    operation: 'listMessages',
    summary: 'List captured messages',
    description:
      'E-mails and SMS never leave the sandbox: what would have been sent is kept for 30 days on the test ' +
      'clock. Newest first. Sent are a receipt by e-mail when a payment succeeds whose `customer` has an ' +
      'e-mail address, a receipt by SMS after a Direct-QR on the plan `premium` when it has a phone number, an ' +
      'e-mail to the customer when an invoice opens, on its due day, with each reminder and when you send it ' +
      'again, and an e-mail to the merchant when a webhook endpoint is disabled. A receipt is in the language ' +
      "of the buyer's browser, English or Nepali; the mail of an invoice is in both.",
    answer: listOf(capturedMessage),
    key: 'sandbox',
    reply: 200,
    query: messagesQuery,
    handle({ caller: { scope }, query }) {
      const { channel, to } = query;
      const equals = { status: 'captured', ...given({ channel, to }) };
      return answerPage(
        query,
        (page) => client.list(queryOf('message', scope, page, query, { equals })),
        ({ view }) => view,
      );
    },
  }),
];
