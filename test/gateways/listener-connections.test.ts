import { describe, expect, test } from 'vitest';
import type { Door } from '../../gateways/server/door.ts';
import { listen } from '../../gateways/server/listener.ts';
import { PortUnavailable } from '../../gateways/server/port.ts';
import { freePorts } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { head, Raw } from '../support/raw.ts';
import { doors, expectRefused, held, log, nothing, served, text } from './served.ts';
import { Visitors } from './visitors.ts';
import { bareListener } from '../support/alone.ts';

const house = served();

describe('connections', () => {
  test('serve requests one after the other, also when all are sent at once', async () => {
    const raw = await Raw.open(house.port());
    const { answers } = await raw
      .send(head('GET /fine') + head('GET /nowhere') + head('GET /things/7'))
      .answers(3);
    raw.leave();
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
  });

  test('that are slow or silent do not block others', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => Raw.open(house.port())));
    for (const raw of slow) raw.send('GET /fine HTTP/1.1\r\nHos');
    const busy = await Promise.all(Array.from({ length: 20 }, () => house.one(head('GET /fine'))));
    expect(busy.map(({ body }) => body)).toEqual(Array.from({ length: 20 }, () => 'fine'));
    const ends = slow.map((raw) => raw.send('t: x\r\n\r\n').answers(1));
    expect((await Promise.all(ends)).every(({ answers }) => answers[0]?.body === 'fine')).toBe(true);
    for (const raw of slow) raw.leave();
  });

  test('closed in the middle of everything do no harm', async () => {
    const cuts = [
      'G',
      'GET /held HTTP/1.1\r\n',
      head('GET /held'),
      head('POST /things/1', ['Content-Length: 9'], 'a'),
    ];
    for (const cut of cuts) {
      const raw = await Raw.open(house.port());
      raw.send(cut);
      await new Promise((resolve) => setTimeout(resolve, 10));
      raw.leave();
      const half = await Raw.open(house.port(), true);
      half.send(cut).finish();
      await half.end();
    }
  });
});

/** Holds up the event loop, as doors that work do. */
function keepsBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Resolves when the port is closed. */
const closes = (port: number): Promise<true> =>
  eventually(
    () =>
      Raw.open(port).then(
        (raw) => (raw.leave(), null),
        () => true as const,
      ),
    () => 'the port to close',
  );

describe('starting and stopping', () => {
  test('before its endpoints are mounted it answers 503, to be retried', async () => {
    const fresh = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log });
    const raw = await Raw.open(fresh.port);
    const {
      answers: [answer],
    } = await raw.send(head('GET /fine')).end();
    expectRefused(answer ?? nothing, 503, 'service_unavailable');
    expect(answer?.headers['retry-after']).toBe('1');
    await fresh.drain(100);
  });

  test('before its endpoints are mounted a browser gets a page, where there is one for the path', async () => {
    const fresh = await listen({
      ...bareListener,
      host: '127.0.0.1',
      port: 0,
      log,
      lostPage: (status, { path }) =>
        path.startsWith('/v1') ? null : { status, headers: { 'Content-Type': 'text/html' }, body: path },
    });
    const ask = async (path: string, accept: string): Promise<unknown> => {
      const raw = await Raw.open(fresh.port);
      const { answers } = await raw.send(head(`GET ${path}`, [`Accept: ${accept}`])).end();
      const { status, headers } = answers[0] ?? nothing;
      return [status, headers['content-type'], headers['retry-after']];
    };
    expect(await ask('/pay/cs_1', 'text/html')).toEqual([503, 'text/html', '1']);
    expect(await ask('/pay/cs_1', '*/*')).toEqual([503, 'application/json; charset=utf-8', '1']);
    expect(await ask('/v1/checkout', 'text/html')).toEqual([503, 'application/json; charset=utf-8', '1']);
    await fresh.drain(100);
  });

  test('every request is reported once, with its route, its status and its duration', async () => {
    const told: string[] = [];
    const counted = await listen({
      ...bareListener,
      host: '127.0.0.1',
      port: 0,
      log,
      answerMsMax: 200,
      answered: (door, status, tookMs) =>
        void told.push(`${door?.path ?? 'none'} ${status} ${tookMs >= 0 && tookMs < 5000}`),
    });
    counted.mount(doors);
    const ask = async (request: string): Promise<void> => {
      const raw = await Raw.open(counted.port);
      await raw.send(request).answers(1);
      raw.leave();
    };
    await ask(head('GET /things/7'));
    await ask(head('GET /nowhere'));
    await ask(head('GET /throws'));
    await ask(head('GET /held'));
    const gone = await Raw.open(counted.port);
    gone.send(head('GET /people/7/held'));
    await eventually(
      async () => (counted.inFlight() === 1 ? true : null),
      () => 'the request to arrive',
    );
    gone.leave();
    const stuck = await Raw.open(counted.port);
    await stuck.send(head('POST /things/7', ['Content-Length: 10'], 'abc')).end();
    await eventually(
      async () => (told.length === 6 ? true : null),
      () => `six requests, not ${told.join(', ')}`,
    );
    expect(told.toSorted()).toEqual([
      '/held 503 true',
      '/people/{id}/held 499 true',
      '/things/{id} 200 true',
      '/things/{id} 408 true',
      '/throws 500 true',
      'none 404 true',
    ]);
    await counted.drain(100);
  });

  test('a second listener on the same port is refused', async () => {
    await expect(listen({ ...bareListener, host: '127.0.0.1', port: house.port(), log })).rejects.toThrow(
      PortUnavailable,
    );
  });

  test('draining answers running requests and those on open connections, each as the last of its connection', async () => {
    const last = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log });
    last.mount([
      ...doors,
      { method: 'GET', path: '/health', always: true, handle: async () => text('draining') },
    ]);
    const [running, idle, asking] = await Promise.all([
      Raw.open(last.port),
      Raw.open(last.port),
      Raw.open(last.port),
    ]);
    running.send(head('GET /held'));
    await eventually(
      async () => (last.inFlight() === 1 ? true : null),
      () => 'the request to arrive',
    );
    const drained = last.drain(3000);
    const lastOfIdle = await idle.send(head('GET /fine')).end();
    expect([lastOfIdle.answers[0]?.status, lastOfIdle.closed]).toEqual([200, true]);
    const late = await Raw.open(last.port);
    const lastOfLate = await late.send(head('GET /fine')).end();
    expect([lastOfLate.answers[0]?.status, lastOfLate.closed]).toEqual([200, true]);
    await closes(last.port);
    expect((await asking.send(head('GET /health')).end()).answers[0]?.body).toBe('draining');
    for (const answer of held.splice(0)) answer(text('finished'));
    expect((await running.end()).answers[0]?.body).toBe('finished');
    await drained;
  });

  test('closing the port cuts no connection: a client that connects in that moment is served or refused', async () => {
    const busy: Door = { method: 'GET', path: '/fine', handle: async () => (keepsBusy(2), text('fine')) };
    for (let closing = 0; closing < 6; closing++) {
      const last = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log });
      last.mount([busy]);
      const visitors = await Visitors.come(last.port, head('GET /fine', ['Connection: close']), 4);
      await last.drain(200);
      const visits = await visitors.leave();
      expect(new Set(visits)).toEqual(new Set(['served', 'refused']));
    }
  });

  test('the port stays open until the work before its closing is done, within a bound', async () => {
    const [patient, hasty] = await Promise.all(
      [1, 2].map(() => listen({ ...bareListener, host: '127.0.0.1', port: 0, log })),
    );
    for (const one of [patient, hasty]) one?.mount(doors);
    const never = new Promise<void>(() => undefined);
    const ended: string[] = [];
    patient?.whenClosed(async () => void ended.push('streams'));
    hasty?.whenClosed(() => never);
    hasty?.whenClosed(() => Promise.reject(new Error('a bug')));
    let over: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      over = resolve;
    });
    const drained = Promise.all([patient?.drain(3000, first), hasty?.drain(400, never)]);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const late = await Raw.open(patient?.port ?? 0);
    expect((await late.send(head('GET /fine')).end()).answers[0]?.status).toBe(200);
    expect(ended).toEqual([]);
    await expect(Raw.open(hasty?.port ?? 0)).rejects.toThrow();
    over();
    await drained;
    expect(ended).toEqual(['streams']);
    await expect(Raw.open(patient?.port ?? 0)).rejects.toThrow();
  });

  test('draining is bounded: unfinished requests are told to retry, incomplete ones are cut', async () => {
    const last = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log });
    last.mount(doors);
    const [raw, half] = await Promise.all([Raw.open(last.port), Raw.open(last.port)]);
    raw.send(head('GET /held'));
    half.send(head('POST /things/1', ['Content-Length: 9'], 'a'));
    await eventually(
      async () => (last.inFlight() === 2 ? true : null),
      () => 'the requests to arrive',
    );
    await last.drain(50);
    const [answer] = (await raw.end()).answers;
    expectRefused(answer ?? nothing, 503, 'service_unavailable');
    expect(answer?.headers['retry-after']).toBe('1');
    expect((await half.end()).answers).toEqual([]);
  });

  test('a port that opens later refuses connections until then, and a port in use is reported at once', async () => {
    const [port = 0] = await freePorts(1);
    const later = await listen({ ...bareListener, host: '127.0.0.1', port, opensLater: true, log });
    await expect(Raw.open(port)).rejects.toThrow();
    later.mount(doors);
    await later.open();
    expect(later.port).toBe(port);
    const { answers } = await (await Raw.open(port)).send(head('GET /fine')).answers(1);
    expect(answers[0]?.body).toBe('fine');
    await expect(listen({ ...bareListener, host: '127.0.0.1', port, opensLater: true, log })).rejects.toThrow(
      PortUnavailable,
    );
    await later.drain(50);
  });
});
