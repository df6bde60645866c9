/** A real nats-server under config/nats.conf, as docker-compose.yml starts it, on a free port and in a folder of its own.
 *  Beside the user of that file it knows an operator, who may do everything. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read } from './house.ts';
import { find, missing } from './server-parts.ts';
import { startNats } from './servers.ts';

export const password = 'change-me-nats';
const operator = { user: 'operator', pass: 'of-this-test' };

export interface ServerOfConf {
  /** For a node: with the user of the file. */
  readonly url: string;
  readonly host: string;
  readonly operator: { readonly servers: string; readonly user: string; readonly pass: string };
  /** Every subject the file's user has published or subscribed to so far, and what it was refused. */
  used(): Used;
  close(): Promise<void>;
}

export interface Used {
  readonly published: ReadonlySet<string>;
  readonly subscribed: ReadonlySet<string>;
  readonly refused: readonly string[];
}

/** Whether it can be started here; one that was given has an operator, and settings, of its own. */
export function isThere(part: 'nats-server' | 'mongod', suite: string): boolean {
  if (missing(part, suite)) return false;
  if (find(part).is === 'binary') return true;
  process.stdout.write(`\nSKIPPED: ${suite.toUpperCase()}: IT NEEDS A ${part.toUpperCase()} OF ITS OWN\n`);
  return false;
}

/** A program that sends commands of one project. */
export interface Program {
  readonly user: string;
  readonly projectId: string;
}

/** The user of the file's example, as an operator makes one. */
function userOf(conf: string, { user, projectId }: Program): string {
  const example = /(?:^    # .*\n)*^    # \{\n(?:^    # .*\n)+/m.exec(conf)?.[0] ?? '';
  const lines = example.slice(example.indexOf('# {')).replaceAll(/^ *# /gm, '    ');
  return lines.replaceAll('prj_ID', projectId).replaceAll('billing', user).replace(/\$\w+/, password);
}

/** `traced`: it writes down what is said to it, for `used`. `programs`: users beside the nodes'. */
export async function serverOfConf({
  traced = false,
  programs = [],
}: { readonly traced?: boolean; readonly programs?: readonly Program[] } = {}): Promise<ServerOfConf> {
  const folder = mkdtempSync(join(tmpdir(), 'galla-nats-conf-'));
  const log = join(folder, 'nats.log');
  const config = read('config/nats.conf')
    .replace(/^port: .*$/m, '')
    .replace(/^http: .*$/m, '')
    .replace('store_dir: /data', `store_dir: "${folder}"`)
    .replace(
      'users: [',
      `users: [\n    { user: ${operator.user}, password: ${operator.pass} }\n${programs
        .map((one) => userOf(read('config/nats.conf'), one))
        .join('')}`,
    )
    .replace('$NATS_PASSWORD', password);
  const trace = traced ? `trace: true\nlog_file: "${log}"\n` : '';
  const server = await startNats({ jetstream: false, config: config + trace });
  const { host } = new URL(server.url);
  return {
    url: `nats://galla:${password}@${host}`,
    host,
    operator: { servers: host, ...operator },
    used: () => usedIn(readFileSync(log, 'utf8')),
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const nameOfLine = / - (?:\S+:)?cid:(\d+)/;

/** Reads a trace: `[TRC] ... cid:7 - <<- [PUB live.x 0]`. The operator's own lines are left out. */
function usedIn(trace: string): Used {
  const lines = trace.split('\n').map((line) => ({ line, cid: nameOfLine.exec(line)?.[1] }));
  const operators = new Set(
    lines.filter(({ line }) => line.includes(`"user":"${operator.user}"`)).map(({ cid }) => cid),
  );
  const nodes = lines.filter(({ cid }) => cid !== undefined && !operators.has(cid));
  const subjects = (word: RegExp): ReadonlySet<string> =>
    new Set(nodes.flatMap(({ line }) => word.exec(line)?.[1] ?? []));
  return {
    published: subjects(/<<- \[H?PUB (\S+)/),
    subscribed: subjects(/<<- \[SUB (\S+)/),
    refused: nodes.filter(({ line }) => /violation/i.test(line)).map(({ line }) => line),
  };
}
