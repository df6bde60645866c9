/** A graceful restart of every node under load: no request fails, whatever the client is. Each has one request in flight
 *  that never ends, so that it takes its full time to leave. */
import { connect, type Socket } from 'node:net';
import type { Inflicted } from './cluster-faults.ts';
import { allHealthy, type Ground } from './ground.ts';
import { pause } from './line.ts';

/** Between two nodes, as a careful operator waits. */
const betweenMs = 1500;

/** `entry`: each comes back as that build. */
export async function rolling(ground: Pick<Ground, 'cluster'>, entry?: string): Promise<Inflicted> {
  const { cluster } = ground;
  const { balancer, nodes } = cluster.cluster;
  const before = new Map(balancer.answered);
  balancer.failed.length = 0;
  const hurtAt = Date.now();
  const problems: string[] = [];
  const seconds: string[] = [];
  const steps: string[] = [];
  const step = (what: string): void => void steps.push(`${new Date().toISOString()} ${what}`);
  for (const [at, node] of nodes.entries()) {
    const from = Date.now();
    step(`node ${at} at ${node.url} is told to leave`);
    const endless = begins(node.port);
    const { code, signal } = await node.stop();
    endless.destroy();
    step(`node ${at} is gone`);
    const said = node.service.output;
    seconds.push(((Date.now() - from) / 1000).toFixed(1));
    if (code !== 0) problems.push(`node ${at} ended with ${signal ?? `exit code ${code}`}`);
    await node.restart({}, entry);
    step(`node ${at} is there again`);
    await allHealthy(ground);
    step('all are well');
    steps.push(...said.split('\n').filter((line) => line.includes('silent')));
    await pause(betweenMs);
  }
  const since = [...balancer.answered].map(
    ([status, count]) => [status, count - (before.get(status) ?? 0)] as const,
  );
  const requests = since.reduce((sum, [, count]) => sum + count, 0);
  for (const [status, count] of since) {
    const what = status === 0 ? 'cut off' : `answered ${status}`;
    if ((status === 0 || status >= 500) && count > 0)
      problems.push(`${count} of ${requests} requests were ${what}`);
  }
  for (const { what, status, sentAt, tookMs } of balancer.failed)
    problems.push(`${new Date(sentAt).toISOString()} ${what}: ${status} after ${tookMs} ms`);
  // when each of them came, told beside what happened then
  if (problems.length > 0) problems.push(...steps);
  const note = `${requests} requests; nodes left within ${seconds.join(', ')} s`;
  return { hurtAt, healedAt: Date.now(), note, problems };
}

/** A request whose body does not come. */
function begins(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /v1/checkout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
  return socket;
}
