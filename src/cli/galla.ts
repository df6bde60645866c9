/** `galla <command>`: what an operator types. Each command is a file in commands/, loaded when it is used.
 *  1. Exit codes: 0 done, 1 refused or failed, 2 the command line was wrong.
 *  2. With `--json` the result is one JSON object on stdout; progress and errors go to stderr. */
import { Command, CommanderError } from 'commander';
import { settings } from '../config.ts';
import { version } from '../telemetry/version.ts';
import { exitCodes, say } from './output.ts';

/** Errors of one line for the operator. By name: each command loads only what it needs. */
const saysWhatToDo: ReadonlySet<string> = new Set([
  'BackupRefused',
  'BusUnusable',
  'DataDirInUse',
  'MoveRefused',
  'StoreUnusable',
]);

const program = new Command('galla')
  .description('Commands for operators of Galla.')
  .version(version, '-V, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .showHelpAfterError('(galla --help lists the commands)')
  .exitOverride();

const dataDirOf = (): string => process.env['GALLA_DATA_DIR'] || (settings.dataDir.default ?? '');

program
  .command('backup')
  .description('write a backup of the embedded service, which may be running')
  .argument('<to>', 'a new file, or a folder, in which the file is named after its time')
  .option('--data-dir <folder>', 'the data folder of the service', dataDirOf())
  .option('--passphrase-file <file>', 'seal the secrets key into the backup with the passphrase in this file')
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    examples('backup /var/backups/galla/', 'backup friday.db.gz --passphrase-file phrase.txt'),
  )
  .action(async (to: string, options) => (await import('./commands/backup.ts')).backup(to, options));

program
  .command('restore')
  .description('make a data folder of a backup')
  .argument('<file>', 'the backup')
  .argument('[folder]', 'the new data folder: absent or empty')
  .option('--check', 'only read the backup and say whether it is whole')
  .option('--passphrase-file <file>', 'the passphrase that its secrets key was sealed with')
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    examples('restore --check friday.db.gz', 'restore friday.db.gz ./restored --passphrase-file phrase.txt'),
  )
  .action(async (file: string, folder: string | undefined, options) =>
    (await import('./commands/restore.ts')).restoreCommand(file, folder, options),
  );

program
  .command('move')
  .description('move the embedded service into the database of a cluster, while it serves')
  .option('--to <url>', 'the database: mongodb://..., empty; default MONGODB_URL')
  .option('--nats <url>', 'the NATS of the nodes: nats://...; default NATS_URL')
  .option('--data-dir <folder>', 'the data folder of the service', dataDirOf())
  .option('--dry-run', 'only say what would be copied, and how long that may take')
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    examples(
      'move --to mongodb://db1,db2,db3/galla?replicaSet=rs0 --nats nats://nats1 --dry-run',
      'move --to mongodb://db1,db2,db3/galla?replicaSet=rs0 --nats nats://nats1',
    ),
  )
  .action(async (options) => (await import('./commands/move.ts')).moveCommand(options));

try {
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = codeOf(thrown);
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  galla ${line}`).join('\n')}`;
}

function codeOf(thrown: unknown): number {
  // it has said what is wrong, or printed what was asked for
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (thrown instanceof Error && saysWhatToDo.has(thrown.name)) say(thrown.message);
  else say(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return exitCodes.refused;
}
