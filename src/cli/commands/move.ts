/** `galla move --to mongodb://... --nats nats://...` */
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { secretFiles } from '../../compose/data-dir.ts';
import { connectNats } from '../../bus/nats-connect.ts';
import { collections } from '../../compose/collections.ts';
import { readSettings } from '../../config.ts';
import { seconds } from '../../kernel/time.ts';
import { namedDatabase } from '../../store/mongo-connect.ts';
import { moveNoteIn } from '../../store/move-note.ts';
import { MoveSource } from '../../store/move-source.ts';
import { dieAt } from '../failpoint.ts';
import { move } from '../move/move.ts';
import { durationText, Progress } from '../move/progress.ts';
import { exitCodes, print, progressEnd, say } from '../output.ts';

export interface MoveOptions {
  readonly to?: string;
  readonly nats?: string;
  readonly dataDir: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The lowest: whoever serves payments goes first. */
const niceness = 19;
const natsMsMax = seconds(15);
/** Measured under load with everything on two cores (docs/decisions/0061); a MongoDB of its own takes more. */
const recordsPerSecondUsual = 400;

/** Rejects with MoveRefused, StoreUnusable or BusUnusable. */
export async function moveCommand({ to, nats, dataDir, dryRun, json }: MoveOptions): Promise<void> {
  const url = given(to, 'mongodbUrl', 'name the database with --to mongodb://..., or set MONGODB_URL');
  const natsUrl = given(nats, 'natsUrl', 'name the NATS with --nats nats://..., or set NATS_URL');
  if (url === null || natsUrl === null) {
    process.exitCode = exitCodes.usage;
    return;
  }
  setPriority(niceness);
  const bus = await connectNats(natsUrl, 'galla move', natsMsMax);
  await bus.close();
  const database = namedDatabase(url);
  if (dryRun === true) return printPlan(dataDir, database, json);
  const { GALLA_FAILPOINT: point, GALLA_FAILPOINT_AFTER: after } = process.env;
  const moved = await move({
    dataDir,
    url,
    to: database,
    collections: collections(),
    progress: new Progress(),
    onWarning: say,
    passed: point === undefined ? () => undefined : dieAt(point, after),
  }).finally(progressEnd);
  const lines = [
    `${resolve(dataDir)} has moved to ${moved.to}: ${sumOf(moved.counts)} records in ${durationText(moved.tookMs)}, ` +
      `all compared; the folder was locked for ${(moved.stopMs / 1000).toFixed(1)} s`,
    'nodes that were waiting serve now. Each needs:',
    ...settingsOfNodes(dataDir),
    'the folder is not used any more. Keep it until you have a backup of the new database',
  ];
  print(moved, lines, json);
}

/** The option, else the setting of the environment; null: neither is there, or what is there is no such address. */
function given(option: string | undefined, name: 'mongodbUrl' | 'natsUrl', line: string): string | null {
  const variable = name === 'mongodbUrl' ? 'MONGODB_URL' : 'NATS_URL';
  const text = option ?? process.env[variable];
  if (text === undefined || text === '') {
    say(line);
    return null;
  }
  const other = name === 'mongodbUrl' ? { NATS_URL: 'nats://x' } : { MONGODB_URL: 'mongodb://x' };
  const read = readSettings({ [variable]: text, ...other });
  const problem = 'problems' in read ? read.problems.find((one) => one.startsWith(variable)) : undefined;
  if (problem === undefined) return text;
  say(problem);
  return null;
}

function printPlan(dataDir: string, to: string, json: boolean | undefined): void {
  const source = new MoveSource(dataDir);
  const counts = source.counts();
  source.close();
  const records = counts.reduce((sum, one) => sum + one.records, 0);
  const bytes = counts.reduce((sum, one) => sum + one.bytes, 0);
  // written, then compared
  const aboutMs = (2 * records * 1000) / recordsPerSecondUsual;
  const state = moveNoteIn(dataDir)?.state ?? 'not begun';
  const lines = [
    `to ${to}: ${records} records, ${mib(bytes)} MiB of text`,
    ...counts.map((one) => `  ${one.kind}: ${one.records} records, ${mib(one.bytes)} MiB`),
    `about ${durationText(aboutMs)} while the service serves, at ${recordsPerSecondUsual} records a second; ` +
      'then it stops for some seconds',
    state === 'not begun' ? 'nothing was written' : `a move was begun: ${state}. Nothing more was written`,
  ];
  print({ to, records, bytes, aboutMs, state, counts }, lines, json);
}

function settingsOfNodes(dataDir: string): readonly string[] {
  const secret = (name: string, variable: string): string => {
    const file = join(resolve(dataDir), name);
    return existsSync(file) ? `  ${variable}="$(cat ${file})"` : `  ${variable} as this service had it`;
  };
  return [
    '  MONGODB_URL and NATS_URL as given to this command',
    secret(secretFiles.secretsKey, 'GALLA_SECRETS_KEY'),
    secret(secretFiles.adminToken, 'GALLA_ADMIN_TOKEN'),
    '  BASE_URL and all other settings as this service had them',
  ];
}

const sumOf = (counts: { readonly [kind: string]: number }): number =>
  Object.values(counts).reduce((sum, one) => sum + one, 0);
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
