/** One authenticated read: GET /v1/checkout/{id}. */
import { alternately, wrk, type Bench } from './support.ts';
import { order, ours } from './service.ts';

const seconds = 2;
const rounds = 3;
const connections = 32;

export const reading: Bench = {
  title: 'Authenticated read: GET /v1/checkout/{id}',
  setup:
    `wrk, 1 thread, ${connections} connections, ${rounds} rounds of ${seconds} s in turn after a warm-up, ` +
    'medians; one object, one secret key',
  bound:
    'our arm adds to the bare server: the SHA-256 of the key and its entry in a cache, the session in memory ' +
    'with the check of its project and mode, a new request id, metrics, and an entry of the log of requests, which the other arms do not keep. Nothing is awaited, and the JSON ' +
    'is made once per change of the session: its bytes are sent from a cache. Every arm pays for the ' +
    "kernel's socket work, which is most of the cost of the bare server. So the ratio of the bare server to " +
    'node:http is the most that any server could reach. On another machine, whose kernel makes system calls and page ' +
    'faults dear (29 November 2026), they were 0.38x and 0.94x, with this build and with the one of the day before',
  async run(room) {
    const service = await ours(room);
    const created = await service.api.must('POST', '/v1/checkout', order);
    const path = `/v1/checkout/${created.body.text('id')}`;
    const env = { BODY_FILE: room.file('body.json', created.text), KEY: service.key };
    const [bare, node] = [
      await room.serve('./rivals/bare.js', env),
      await room.serve('./rivals/reading.js', env),
    ];
    const arm = (name: string, { url, pid }: { url: string; pid: number }) => ({
      name,
      run: () =>
        wrk(pid, {
          url: url + path,
          seconds,
          connections,
          headers: [`Authorization: Bearer ${service.key}`],
        }),
    });
    return alternately(
      'authenticated GET',
      [
        arm('Galla', service),
        arm('bare uWebSockets.js, a constant (bench/rivals/bare.ts)', bare),
        arm('node:http, same logic (bench/rivals/reading.ts)', node),
      ],
      rounds,
    );
  },
};
