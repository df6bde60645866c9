import { Room, wrk, alternately, type Arm } from './support.ts';
import { clusterOn, mongoOf, merchantOf, healthy } from './cluster.ts';
import { creates } from './scripts.ts';
import { table } from './table.ts';
const room = new Room();
try {
  const mongo = await mongoOf(room);
  const subjects = [];
  for (const v of (process.env['V'] ?? 'base').split(',')) {
    const c = await clusterOn(room, mongo, v);
    const a = await room.serve(`file:///tmp/galla-ab-${v}/dist/src/cli/start.js`, { ...c.env });
    await healthy(a.url);
    subjects.push({ v, c, a, key: await merchantOf(a, c) });
  }
  for (const k of (process.env['K'] ?? 'plain,keyed').split(',')) for (const at of (process.env['AT'] ?? '64').split(',').map(Number)) {
    const arms = subjects.map(({ v, c, a, key }): Arm => ({ name: v, run: () => wrk(a.pid, { url: a.url + '/v1/checkout', seconds: 2, connections: at, headers: [`Authorization: Bearer ${key}`], script: room.file(`${k}.lua`, creates(k === 'keyed')), restMs: 5500, servers: c.pids }) }));
    console.log(table(await alternately(`${k} ${at}`, arms, 2)));
  }
} finally { await room.close(); }
