import { describe, expect, test } from 'vitest';
import { listen } from '../../gateways/server/listener.ts';
import { eventually } from '../support/eventually.ts';
import { head, Raw, withBody } from '../support/raw.ts';
import { doors, expectRefused, held, json, log, nothing, served } from './served.ts';
import { bareListener } from '../support/alone.ts';

const house = served();

describe('bodies', () => {
  test('of exactly the limit are accepted, one byte more is refused and the connection is closed', async () => {
    expect(json(await house.one(withBody('POST /things/1', 'x'.repeat(65_536))))).toMatchObject({
      bytes: 65_536,
    });
    const raw = await Raw.open(house.port());
    const {
      answers: [answer],
      closed,
    } = await raw.send(withBody('POST /things/1', 'x'.repeat(65_537))).end();
    expectRefused(answer ?? nothing, 413, 'request_too_large');
    expect(closed).toBe(true);
  });

  test('whose announced length is too large are refused before a byte of them is sent', async () => {
    const raw = await Raw.open(house.port());
    const {
      answers: [answer],
    } = await raw.send(head('POST /things/1', ['Content-Length: 999999999999'])).end();
    expect(answer?.status).toBe(413);
  });

  test('without an announced length are counted', async () => {
    const raw = await Raw.open(house.port());
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const {
      answers: [answer],
    } = await raw.send(head('POST /things/1', ['Transfer-Encoding: chunked'], chunk.repeat(5))).end();
    expect(answer?.status).toBe(413);
  });

  test('may be larger where the endpoint allows it', async () => {
    expect(json(await house.one(withBody('POST /large', 'x'.repeat(300_000))))).toMatchObject({
      bytes: 300_000,
    });
  });

  test('that stop arriving end with their connection, not with an answer', async () => {
    const raw = await Raw.open(house.port());
    const { text: all, closed } = await raw.send(head('POST /things/1', ['Content-Length: 10'], 'abc')).end();
    expect([all, closed]).toEqual(['', true]);
  });

  test('of a client that leaves are released', async () => {
    const raw = await Raw.open(house.port());
    raw.send(head('POST /things/1', ['Content-Length: 60000'], 'x'.repeat(30_000)));
    await eventually(
      async () => (house.inFlight() === 1 ? true : null),
      () => 'the request to arrive',
    );
    raw.leave();
    await eventually(
      async () => (house.inFlight() === 0 ? true : null),
      () => 'the request to be forgotten',
    );
  });

  test('sent with a GET are ignored', async () => {
    const raw = await Raw.open(house.port());
    const { answers } = await raw
      .send(head('GET /fine', ['Content-Length: 5'], 'hello') + head('GET /fine'))
      .answers(2);
    raw.leave();
    expect(answers.map(({ body }) => body)).toEqual(['fine', 'fine']);
  });
});

describe('bodies that come a byte at a time', () => {
  const slow = head('POST /things/1', ['Content-Length: 60000'], 'x'.repeat(1000));

  async function crowded(bounds: { requestsMax?: number; bodyBytesHeldMax?: number; bodyMsMin?: number }) {
    const listener = await listen({
      ...bareListener,
      host: '127.0.0.1',
      port: 0,
      log,
      bodyMsMin: 0,
      ...bounds,
    });
    listener.mount(doors);
    const raws: Raw[] = [];
    /** Opens one, and waits until what it said has arrived. */
    const open = async (said: string): Promise<Raw> => {
      const raw = await Raw.open(listener.port);
      raws.push(raw.send(said));
      return raw;
    };
    const slowly = async (count: number): Promise<readonly Raw[]> => {
      const opened: Raw[] = [];
      while (opened.length < count) {
        opened.push(await open(slow));
        await eventually(
          async () => (listener.inFlight() === opened.length ? true : null),
          () => 'the request to arrive',
        );
      }
      return opened;
    };
    const close = async (): Promise<void> => {
      for (const raw of raws) raw.leave();
      for (const answer of held.splice(0)) answer(nothingToSay);
      await listener.drain(50);
    };
    return { open, slowly, close, inFlight: () => listener.inFlight() };
  }
  const nothingToSay = { status: 204, body: null } as const;

  test('block no other request: when there is no room, the one that has been arriving the longest is dropped', async () => {
    const { open, slowly, close, inFlight } = await crowded({ requestsMax: 3 });
    const [first, second] = await slowly(3);
    const quick = await open(head('GET /fine'));
    expect((await quick.answers(1)).answers[0]?.body).toBe('fine');
    expect((await first?.end())?.text).toBe('');
    const posted = await open(withBody('POST /things/1', '{}').toString());
    expect((await posted.answers(1)).answers[0]?.status).toBe(200);
    expect(inFlight()).toBe(2);
    second?.send('x'.repeat(59_000));
    expect((await second?.answers(1))?.answers[0]?.status).toBe(200);
    await close();
  });

  test('are not dropped before their minimum time', async () => {
    const { open, slowly, close } = await crowded({ requestsMax: 2, bodyMsMin: 60_000 });
    const [first] = await slowly(2);
    const { answers } = await (await open(head('GET /fine'))).end();
    expectRefused(answers[0] ?? nothing, 503, 'service_unavailable');
    first?.send('x'.repeat(59_000));
    expect((await first?.answers(1))?.answers[0]?.status).toBe(200);
    await close();
  });

  test('that fill the memory for bodies are dropped for the next one', async () => {
    const { open, slowly, close } = await crowded({ bodyBytesHeldMax: 2500 });
    const [first] = await slowly(2);
    const third = await open(head('POST /things/1', ['Content-Length: 2000'], 'x'.repeat(1000)));
    expect((await first?.end())?.text).toBe('');
    third.send('x'.repeat(1000));
    expect((await third.answers(1)).answers[0]?.status).toBe(200);
    const tooMuch = await open(head('POST /things/1', ['Content-Length: 9000'], 'x'.repeat(3000)));
    expect((await tooMuch.end()).answers[0]?.status).toBe(503);
    await close();
  });

  test('cannot be dropped when all requests are waiting for answers: the next one is told to retry', async () => {
    const { open, close, inFlight } = await crowded({ requestsMax: 2 });
    await open(head('GET /held'));
    await open(head('GET /held'));
    await eventually(
      async () => (inFlight() === 2 ? true : null),
      () => 'both to be in hand',
    );
    const { answers } = await (await open(head('GET /fine'))).end();
    expectRefused(answers[0] ?? nothing, 503, 'service_unavailable');
    await close();
  });
});

describe('invalid requests', () => {
  test.each([
    ['HTTP/1.0', 'GET /fine HTTP/1.0\r\n\r\n', [505, 400]],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', [505, 400]],
    ['a head above its bound', head('GET /fine', [`X-Long: ${'x'.repeat(20_000)}`]), [431, 400]],
    ['a chunk that is none', head('POST /things/1', ['Transfer-Encoding: chunked'], 'zz\r\nabc\r\n'), [400]],
    // newer builds of uWebSockets.js say 400 to all of them
  ])('%s is refused by the parser', async (_what, request, statuses) => {
    const raw = await Raw.open(house.port());
    const { text: all, closed } = await raw.send(request).end();
    expect(statuses).toContain(Number(/^HTTP\/1\.1 (\d+) /.exec(all)?.[1]));
    expect(closed).toBe(true);
  });

  test("a browser's request head with cookies fits", async () => {
    expect((await house.one(head('GET /fine', [`Cookie: ${'x'.repeat(12_000)}`]))).status).toBe(200);
  });
});

describe('faults of a simulated provider', () => {
  test('an answer is cut off in the middle of its body', async () => {
    const raw = await Raw.open(house.port());
    const { text: all, closed } = await raw.send(head('GET /reset')).end();
    expect(all).toContain('Content-Length: 1001\r\n');
    expect(all.split('\r\n\r\n')[1]).toBe('x'.repeat(500));
    expect(closed).toBe(true);
  });

  test('an answer never comes, until the client gives up', async () => {
    const raw = await Raw.open(house.port());
    raw.send(head('GET /never'));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(house.inFlight()).toBe(0);
    raw.leave();
  });
});
