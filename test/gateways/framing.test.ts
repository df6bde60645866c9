/** A request that could be read in two ways is answered once at most, and nothing after it is. Each of them is sent
 *  alone, with a whole second request behind it, and with one that comes a moment later. */
import { expect, test } from 'vitest';
import { listen } from '../../gateways/server/listener.ts';
import { head } from '../support/raw.ts';
import { broken, hear, hearFor, hidden, twoAnswers, unreadable } from '../support/two-ways.ts';
import { doors, log, served } from './served.ts';
import { bareListener } from '../support/alone.ts';

const house = served();
const lines = [
  'GET /fine',
  'HEAD /fine',
  'GET /held',
  'GET /throws',
  'GET /never',
  'GET /things/1',
  'POST /things/1',
  'POST /large',
  'POST /people/1',
  'PUT /fine',
  'OPTIONS /fine',
  'GET /nowhere',
  'HEAD /nowhere',
  'POST /nowhere',
  'DELETE /',
];

const wrongAt = async (port: number, line: string): Promise<readonly unknown[]> => {
  const all = await Promise.all(Object.values(broken).map((headers) => twoAnswers(port, line, headers)));
  return all.filter((wrong) => wrong !== null);
};

test.each(lines)('%s: a bare 400, and nothing after it is answered', async (line) => {
  expect(await wrongAt(house.port(), line)).toEqual([]);
});

test('the same before doors are mounted', async () => {
  const fresh = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log, ...bareListener });
  for (const line of ['GET /fine', 'HEAD /fine', 'POST /things/1'])
    expect(await wrongAt(fresh.port, line)).toEqual([]);
  await fresh.drain(100);
});

test('each is counted as one request', async () => {
  const told: string[] = [];
  const counted = await listen({
    ...bareListener,
    host: '127.0.0.1',
    port: 0,
    log,
    answered: (door, status) => void told.push(`${door?.path ?? 'none'} ${status}`),
  });
  counted.mount(doors);
  const headers = broken['two lengths, the first short'] ?? [];
  await hear(counted.port, head('POST /things/1', headers) + hidden);
  await hear(counted.port, head('POST /nowhere', headers));
  expect(told).toEqual(['/things/{id} 400', 'none 400']);
  await counted.drain(100);
});

test.each(['GET /fine', 'POST /things/1', 'POST /nowhere'])(
  '%s, unreadable, is not answered twice',
  async (line) => {
    const all = Object.entries(unreadable).map(async ([what, headers]) => {
      const { statuses } = await hearFor(300, house.port(), head(line, headers) + hidden);
      return statuses.length === 0 || statuses.join() === '400' ? null : [what, statuses];
    });
    expect((await Promise.all(all)).filter((wrong) => wrong !== null)).toEqual([]);
  },
);

test.each([
  ['one length', ['Content-Length: 5'], 'abcde'],
  ['one length with spaces and tabs around it', ['Content-Length: \t 5 \t'], 'abcde'],
  ['one length with zeros before it', ['Content-Length: 005'], 'abcde'],
  ['one length in whatever letters', ['cOnTeNt-LeNgTh: 5'], 'abcde'],
  ['chunks', ['Transfer-Encoding: chunked'], '5\r\nabcde\r\n0\r\n\r\n'],
  ['chunks in whatever letters', ['tRANSFER-eNCODING: Chunked'], '5\r\nabcde\r\n0\r\n\r\n'],
])('%s and what follows are two requests', async (_what, headers, body) => {
  const asked = ['POST /things/1', 'GET /fine', 'POST /nowhere'].map(async (line) => {
    const { statuses } = await hearFor(300, house.port(), head(line, headers, body) + head('GET /fine'));
    return statuses;
  });
  expect(await Promise.all(asked)).toEqual([
    [200, 200],
    [200, 200],
    [404, 200],
  ]);
});
