/** Durable creates: POST /v1/checkout, committed before the answer, without and with an Idempotency-Key. */
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { alternately, wrk, type Bench, type Row } from './support.ts';
import { order, ours } from './service.ts';

const seconds = 2;
const rounds = 3;
const connections = 64;

export const creating: Bench = {
  title: 'Durable create: POST /v1/checkout, committed (fsync) before the answer',
  setup:
    `wrk, 1 thread, ${connections} connections (1 in the last rows), ${rounds} rounds of ${seconds} s taking turns ` +
    'after a warm-up, medians; the rival: node:http, libsql, WAL, synchronous=FULL, prepared statements, ' +
    'one commit per request',
  bound:
    'each of our creates also writes a checkout.created event, its place in the journal and an expiry timer; ' +
    'with a key, the key is committed before and after',
  async run(room) {
    const service = await ours(room);
    const folder = join(room.folder, 'rival');
    mkdirSync(folder);
    const rival = await room.serve('./rivals/inserting.ts', { FOLDER: folder, KEY: service.key });
    const plain = room.file('plain.lua', script(false));
    const keyed = room.file('keyed.lua', script(true));
    const arm = (name: string, { url, pid }: { url: string; pid: number }, lua: string, at: number) => ({
      name,
      run: () =>
        wrk(pid, {
          url: `${url}/v1/checkout`,
          seconds,
          connections: at,
          script: lua,
          headers: [`Authorization: Bearer ${service.key}`],
        }),
    });
    const inserts = 'node:http + libsql, one by one (bench/rivals/inserting.ts)';
    const compare = (what: string, lua: string, at: number): Promise<readonly Row[]> =>
      alternately(what, [arm('Galla', service, lua, at), arm(inserts, rival, lua, at)], rounds);
    return [
      ...(await compare(`create, ${connections} at once`, plain, connections)),
      ...(await compare(`create with a key, ${connections} at once`, keyed, connections)),
      ...(await compare('create, one at a time', plain, 1)),
    ];
  },
};

/** Fresh keys for each run of wrk, each thread and each request. */
const script = (keyed: boolean): string => `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '${JSON.stringify(order)}'
${
  keyed
    ? `local made = 0
local prefix = ""
function init(args)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x(%x+)"), 16) % 1000000)
  prefix = string.format("%08x%08x", math.random(0, 2147483647), os.time())
end
function request()
  made = made + 1
  wrk.headers["Idempotency-Key"] = prefix .. "-" .. made
  return wrk.format()
end`
    : ''
}
`;
