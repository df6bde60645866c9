import { expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../../actors/webhook-endpoint/signature.ts';

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const old = 'whsec_NzY1NDMyMTBmZWRjYmE5ODc2NTQzMjEw';
const vector = { eventId: 'evt_1', timestamp: 1711234567, body: '{"id":"evt_1","type":"payment.succeeded"}' };

test('both signatures are those of the published vector', () => {
  expect(signatureHeaders({ ...vector, secrets: [secret] })).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1711234567',
    'webhook-signature': 'v1,q1I+g+zynNSoLYBeA78rfvgZ2IIZqLi/SD3rQZE3j4Q=',
    'X-Webhook-Signature': 't=1711234567,v1=46deeb301315445063ae15c596c3f3dadec21a27c33b7d28dfef4c83e569ec41',
  });
});

test('while a secret is replaced both sign, the newest first', () => {
  const headers = signatureHeaders({ ...vector, secrets: [secret, old] });
  expect(headers['webhook-signature']).toBe(
    'v1,q1I+g+zynNSoLYBeA78rfvgZ2IIZqLi/SD3rQZE3j4Q= v1,D0ZQLUhALgG+sFT8/1SB2/9Dk25p67ehPIAQJg5zAL8=',
  );
  expect(headers['X-Webhook-Signature']).toMatch(/^t=1711234567,v1=46deeb[0-9a-f]{58},v1=[0-9a-f]{64}$/);
});

test('the standardwebhooks package verifies it, in Devanagari too, and notices a changed letter', () => {
  const body = JSON.stringify({ id: 'evt_1', data: { name: 'आशा राई' } });
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = { ...signatureHeaders({ eventId: 'evt_1', timestamp, body, secrets: [secret] }) };
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(body.replace('आशा', 'आशी'), headers)).toThrow();
  expect(() => new Webhook(old).verify(body, headers)).toThrow();
});
