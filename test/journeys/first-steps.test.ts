/** What somebody meets who does only half of what is asked: a buyer who never begins, a socket that polls. */
import { expect, test } from 'vitest';
import { open } from '../../src/cli/demo/buyer.ts';
import { gallaOfFile } from '../support/of-file.ts';

const galla = gallaOfFile();

test('the page of a checkout that nobody touched shows its reference when it has expired, and warns of a second payment', async () => {
  const shop = await galla.merchant();
  const session = await shop.checkout({ expiresInMinutes: 5 });
  await shop.advance(5 * 60 + 30);
  await shop.untilStatus(session.text('id'), 'expired');
  const page = await open(session.text('checkout_url'));
  expect(page.title).toContain('has expired');
  expect(page.words).toContain(session.text('id'));
  expect(page.words).toMatch(/do not pay again/i);
});

test('polling at /socket.io/ is told that only websocket is served', async () => {
  const { status, body } = await galla.nobody.get('/socket.io/?EIO=4&transport=polling');
  expect(status).toBe(400);
  expect(body.text('error.message')).toContain('Only websocket is served here.');
});
