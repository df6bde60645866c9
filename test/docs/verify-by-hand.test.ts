import { expect, test } from 'vitest';
import { isSigned } from './verify-by-hand.ts';

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const body = Buffer.from('{"id":"evt_1","type":"payment.succeeded"}');
const header = 't=1711234567,v1=46deeb301315445063ae15c596c3f3dadec21a27c33b7d28dfef4c83e569ec41';
const then = 1_711_234_567;

test("the guide's verifier accepts the test vector and nothing else", () => {
  expect(isSigned(body, header, secret, then)).toBe(true);
  expect(isSigned(body, `t=1711234567,v1=${'0'.repeat(64)},${header.slice(13)}`, secret, then + 300)).toBe(
    true,
  );
  expect(isSigned(Buffer.from(body.toString().replace('evt_1', 'evt_2')), header, secret, then)).toBe(false);
  expect(isSigned(body, header, secret.replace('MDE', 'MDF'), then)).toBe(false);
  expect(isSigned(body, header, secret, then + 301)).toBe(false);
  expect([isSigned(body, '', secret), isSigned(body, 't=x,v1=', secret, then)]).toEqual([false, false]);
});
