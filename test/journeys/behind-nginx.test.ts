/** What never reaches a node through config/nginx.conf, because the node's HTTP parser could not be trusted with it:
 *  a real nginx in front of the running service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGalla, type Galla } from '../support/galla.ts';
import { noNginx, startNginx, type Proxy } from '../support/nginx.ts';
import { head, Raw, withBody, type RawAnswer } from '../support/raw.ts';
import { broken, hearFor, hidden, unreadable } from '../support/two-ways.ts';

const suite = 'the service behind nginx';
const length = hidden.length;

/** Beside those that a node refuses, too. */
const refusedHere: Readonly<Record<string, readonly string[]>> = {
  'a header without a name': [': x'],
  'a header without a name that hides a length': [': x', `Content-Length: ${length}`],
  'a header without a name that hides a coding': [':', 'Transfer-Encoding: chunked'],
  'a length that ends in a byte above ASCII': ['Content-Length: 0\xa0'],
  'a length that begins with a byte above ASCII': [`Content-Length: \xa0${length}`],
  'a coding that begins with a byte above ASCII': ['Transfer-Encoding: \xa0chunked'],
  'a control byte in a name': ['X\x01: y'],
};

describe.skipIf(noNginx(suite))(suite, () => {
  let galla: Galla;
  let proxy: Proxy;
  beforeAll(async () => {
    galla = await startGalla();
    proxy = await startNginx(Number(new URL(galla.url).port));
  });
  afterAll(async () => {
    await proxy.stop();
    await galla.stop();
  });

  const post = async (port: number, secret: string, key: string): Promise<RawAnswer> => {
    const body = JSON.stringify({ amount: 125_050, returnUrl: 'https://shop.example/return' });
    const headers = [`Authorization: Bearer ${secret}`, `Idempotency-Key: ${key}`];
    const raw = await Raw.open(port);
    const { answers } = await raw.send(withBody('POST /v1/checkout', body, headers)).answers(1);
    raw.leave();
    const [answer] = answers;
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };

  test('nginx forwards requests, one after the other on one connection', async () => {
    const { statuses } = await hearFor(500, proxy.port, hidden + head('GET /nowhere') + hidden);
    expect(statuses).toEqual([200, 404, 200]);
  });

  test('a request line in two pieces, and a request behind one that is being answered, are served', async () => {
    for (const begun of ['GET ', 'GET /health ', 'GET /health HTTP/1.']) {
      const raw = await Raw.open(proxy.port);
      raw.send(begun);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const { answers } = await raw.send(hidden.slice(begun.length)).answers(1);
      raw.leave();
      expect([begun, answers[0]?.status]).toEqual([begun, 200]);
    }
    const raw = await Raw.open(proxy.port);
    const waits = head('GET /v1/payments', [`Authorization: Bearer ${galla.keys.secretKey}`]);
    const { answers } = await raw.send(waits + hidden).answers(2);
    raw.leave();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('a key of visible ASCII makes one checkout', async () => {
    const { secretKey: secret } = galla.keys;
    const [first, second] = [
      await post(proxy.port, secret, 'order-1'),
      await post(proxy.port, secret, 'order-1'),
    ];
    expect([first.status, second.body]).toEqual([201, first.body]);
  });

  test.each(['order-१', 'order-२', '१-order', 'or१der', 'naïve', 'order\x7f', 'or\tder', 'two words'])(
    "the key %j is refused with a node's own error, and nothing is created",
    async (key) => {
      const merchant = await galla.merchant();
      const secret = await galla.key(merchant.projectId, { kind: 'secret', mode: 'sandbox' });
      const refused = await post(proxy.port, secret, key);
      const node = await post(Number(new URL(galla.url).port), secret, 'two words');
      const shapeOf = ({ status, body }: RawAnswer): unknown => [status, body.replace(/req_\w+/g, 'req_')];
      expect(shapeOf(refused)).toEqual(shapeOf(node));
      expect(refused.headers['content-type']).toMatch(/^application\/json/);
      expect(refused.body).toContain(refused.headers['x-request-id']);
      const { body } = await merchant.api.must('GET', '/v1/checkout');
      expect(body.list('data')).toEqual([]);
    },
  );

  test.each(['GET /health', 'POST /v1/checkout', 'GET /nowhere'])(
    '%s given twice, or unreadable, is one refusal',
    async (line) => {
      const statusesOf = async (headers: readonly string[]): Promise<string> =>
        (await hearFor(1000, proxy.port, head(line, headers) + hidden)).statuses.join();
      const refused = { ...broken, ...refusedHere };
      const wrong = await Promise.all([
        ...Object.entries(refused).map(async ([what, headers]) => {
          const statuses = await statusesOf(headers);
          return /^(400|413|501)$/.test(statuses) ? null : [what, statuses];
        }),
        // a bare line feed ends a line for nginx: what it passes on is clear
        ...Object.entries(unreadable).map(async ([what, headers]) => {
          const statuses = await statusesOf(headers);
          return /^\d+$/.test(statuses) ? null : [what, statuses];
        }),
      ]);
      expect(wrong.filter((each) => each !== null)).toEqual([]);
    },
  );

  test(
    'control bytes, which a node does not answer, do not make nginx mark the nodes as failed',
    { timeout: 40_000 },
    async () => {
      const silent = head('GET /health', ['X: a\x01b']);
      await Promise.all(Array.from({ length: 12 }, () => hearFor(20_000, proxy.port, silent, 1)));
      const { statuses } = await hearFor(500, proxy.port, hidden.repeat(20));
      expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    },
  );
});
