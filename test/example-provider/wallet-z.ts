/** wallet_z, a made-up wallet, our side of its protocol: JSON both ways, paisa, an unsigned return.
 *  Boundary: pure pairs of build and read; src/providers/call.ts sends.
 *  1. Only `PAID` is paid; an unknown status is ambiguous.
 *  2. What cannot be read is null: pending, never failed. */
import {
  objectIn,
  providerReference,
  type CalledAdapter,
  type Credentials,
  type LookupReading,
  type WireRequest,
} from '../../src/providers/provider.ts';

export const walletZ: CalledAdapter = {
  start: {
    build: ({ paymentId, amount, returnUrl }, credentials, root) =>
      post(`${root}/pay`, credentials, { ref: providerReference(paymentId), amount, back: returnUrl }),
    read({ status, text }) {
      const body = status === 200 ? objectIn(text) : null;
      const [id, url] = [textIn(body?.['id']), textIn(body?.['url'])];
      if (id === null || url === null || !/^https?:/.test(url)) return null;
      return {
        alarm: null,
        answer: {
          outcome: 'started',
          lookupReference: id,
          providerExpiresAt: null,
          instructions: { kind: 'redirect', method: 'GET', url, fields: {} },
        },
      };
    },
  },
  lookup: {
    build: ({ lookupReference }, credentials, root) =>
      post(`${root}/find`, credentials, { id: lookupReference }),
    read({ status, text }) {
      const body = status === 200 ? objectIn(text) : null;
      const word = textIn(body?.['state']);
      if (body === null || word === null) return null;
      const amount = body['amount'];
      return {
        alarm: null,
        answer: {
          outcome: outcomes.get(word) ?? 'ambiguous',
          answered: true,
          amountPaisa: Number.isSafeInteger(amount) ? Number(amount) : null,
          reference: textIn(body['id']),
          providerRef: textIn(body['receipt']),
          traceId: null,
          failureCode: null,
          fee: null,
        },
      };
    },
  },
  refund: null,
  parseReturn: () => ({ hint: 'unknown', verified: false, summary: 'Buyer came back' }),
};

const outcomes: ReadonlyMap<string, LookupReading['outcome']> = new Map([
  ['PAID', 'paid'],
  ['OPEN', 'pending'],
  ['NO', 'failed'],
  ['BACK', 'refunded'],
]);

const post = (url: string, { token = '' }: Credentials, body: object): WireRequest => ({
  method: 'POST',
  url,
  body: JSON.stringify(body),
  headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
});

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
