import { expect, test } from 'vitest';
import { readHtml } from '../../../src/cli/demo/html-page.ts';

const page = readHtml(
  `<!doctype html><title>Pay &amp; go</title><style>p{}</style>
<!-- <button>not here</button> -->
<noscript><meta http-equiv="refresh" content="2; url=/pay/cs_1?back=1"></noscript>
<p>NPR&nbsp;1,250.50 for <b title="a > b">R&#x928;</b></p>
<form method="post" action="/pay/cs_1/start"><input type="hidden" name="token"
value="t&quot;1"><button>Wallet <i>B</i></button></form>
<form action="https://sim.example/"><input name="q" value="1"><button name="do" value="pay" disabled>Pay</button>
<button name="do" value="wait">Wait</button><button type="button">Nothing</button></form>
<a href="../shop">Back</a>`,
  'https://pay.example/pay/cs_1',
);

test('a page without script consists of its title, text, buttons and links', () => {
  expect(page.title).toBe('Pay & go');
  expect(page.words).toContain('NPR 1,250.50 for Rन');
  expect(page.words).not.toContain('not here');
  expect(page.links).toEqual([{ words: 'Back', href: 'https://pay.example/shop' }]);
  expect(page.refresh).toEqual({ seconds: 2, url: 'https://pay.example/pay/cs_1?back=1' });
});

test('a button submits its form, with its own name if it has one', () => {
  expect(
    page.buttons.map(({ words, method, action, disabled, fields }) => [
      words,
      method,
      action,
      disabled,
      [...fields],
    ]),
  ).toEqual([
    ['Wallet B', 'POST', 'https://pay.example/pay/cs_1/start', false, [['token', 't"1']]],
    [
      'Pay',
      'GET',
      'https://sim.example/',
      true,
      [
        ['q', '1'],
        ['do', 'pay'],
      ],
    ],
    [
      'Wait',
      'GET',
      'https://sim.example/',
      false,
      [
        ['q', '1'],
        ['do', 'wait'],
      ],
    ],
  ]);
});
