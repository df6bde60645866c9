/** The demo's part on selling without a shop: a payment link for one payment, its buyer, and what the merchant
 *  receives. */
import type { Body } from './api.ts';
import { buttonFor, buttonOf, open, press, waitThere } from './buyer.ts';
import { logIn } from './paid.ts';
import { expect } from './printer.ts';
import type { World } from './world.ts';

const price = 50_000;
const received = 'Payment received';

export async function showLinked(world: World): Promise<void> {
  const { printer } = world;
  printer.chapter('A payment link');
  const link = await printer.step('The shop makes a link that one buyer can pay', () => makeLink(world));
  await printer.step('A buyer opens it, pays, and the webhook arrives', () => payByIt(world, link));
}

async function makeLink({ api }: World) {
  const { body } = await api.must('POST', '/v1/payment-links', {
    name: 'Workshop seat',
    amount: price,
    maxUses: 1,
  });
  return {
    value: body,
    facts: [
      ['link', `${body.text('id')}, ${price} paisa, maxUses 1`],
      ['url', body.text('url')],
      ['QR code', `${body.text('url')}/qr.png`],
    ] as const,
  };
}

async function payByIt({ api, shop }: World, link: Body) {
  const chooser = await press(buttonOf(await open(link.text('url')), /./));
  const wallet = (await logIn(await press(buttonFor(chooser, 'provider', 'wallet_b')))).value;
  const thanks = await waitThere(await press(buttonFor(wallet, 'do', 'pay')), ({ title }) =>
    title.startsWith(received),
  );
  expect(thanks.title.startsWith(received), `the buyer sees "${thanks.title}"`);
  const heard = await shop.webhook(
    ({ type, objectId }) => type === 'payment_link.paid' && objectId === link.text('id'),
  );
  const { body: now } = await api.must('GET', `/v1/payment-links/${link.text('id')}`);
  expect(
    now.at('status') === 'completed' && now.at('usedCount') === 1,
    `the link is ${now.text('status')} after ${String(now.at('usedCount'))} payments`,
  );
  const next = await open(link.text('url'));
  expect(next.buttons.length === 0, 'the next buyer can still pay');
  return {
    value: null,
    facts: [
      ['the buyer', `sees "${received}" on our own page`],
      ['event', `${heard.id}, ${heard.type}`],
      ['link', 'completed, usedCount 1'],
      ['next buyer', next.title],
    ] as const,
  };
}
