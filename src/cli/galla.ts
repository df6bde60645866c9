/** `galla <command>`: what an operator types. Each command is a file in commands/, loaded when it is used.
 *  1. Exit codes: 0 done, 1 refused or failed, 2 the command line was wrong.
 *  2. With `--json` the result is one JSON object on stdout; progress and errors go to stderr. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { settings } from '../config.ts';
import { version } from '../telemetry/version.ts';
import { exitCodes, say } from './output.ts';

/** Errors of one line for the operator. By name: each command loads only what it needs. */
const saysWhatToDo: ReadonlySet<string> = new Set([
  'BackupRefused',
  'BusUnusable',
  'DataDirInUse',
  'EraRefused',
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
  .command('start')
  .description('start the service; its settings are environment variables')
  .addHelpText('after', examples('start'))
  .action(async () => {
    // only of modules that are loaded from now on the source maps are read
    process.setSourceMapsEnabled(true);
    await (await import('./serve.ts')).serve();
  });

program
  .command('demo')
  .description('show what the service does, with one that it starts itself')
  .option('--cluster', 'with three nodes, of which one is killed', false)
  .addHelpText('after', examples('demo', 'demo --cluster'))
  .action(async (options: { readonly cluster: boolean }) => {
    process.exitCode = await (await import('./demo.ts')).demo(options);
  });

program
  .command('doctor')
  .description('check this machine, the settings, the servers and the service, and say what to do')
  .option('--url <address>', 'the service to ask; by default that of the settings')
  .option(
    '--admin-token-file <file>',
    "the operator's token of that service; by default that of the settings",
  )
  .option(
    '--live',
    'ask each provider, with the credentials of merchants, for a payment that nobody has made',
  )
  .option('--deployment <files...>', 'also read these: a unit of systemd, objects of Kubernetes')
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    examples(
      'doctor',
      'doctor --live',
      'doctor --url http://10.0.0.11:8080 --json',
      'doctor --deployment /etc/systemd/system/galla.service',
    ),
  )
  .action(async (options) => (await import('./commands/doctor.ts')).doctor(options));

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
  .option('--invoices-from <number>', 'the highest invoice number that was given before', number)
  .option('--era <number>', 'the era that begins, where one has begun after this backup', number)
  .option('--json', 'print the result as JSON')
  .addHelpText(
    'after',
    examples('restore --check friday.db.gz', 'restore friday.db.gz ./restored --passphrase-file phrase.txt'),
  )
  .action(async (file: string, folder: string | undefined, options) =>
    (await import('./commands/restore.ts')).restoreCommand(file, folder, options),
  );

program
  .command('mark-restored')
  .description('tell the database of a cluster (MONGODB_URL) that it was restored, before its nodes start')
  .option('--backup-at <instant>', 'when the backup was made, as in 2026-11-20T09:15:00Z', instant)
  .option('--invoices-from <number>', 'the highest invoice number that was given before', number)
  .option('--era <number>', 'the era that begins, where one has begun after this backup', number)
  .option('--json', 'print the result as JSON')
  .addHelpText('after', examples('mark-restored --backup-at 2026-11-20T09:15:00Z --invoices-from 4711'))
  .action(async (options) => (await import('./commands/mark-restored.ts')).markRestored(options));

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
      "move --to 'mongodb://db1,db2,db3/galla?replicaSet=rs0' --nats nats://nats1 --dry-run",
      "move --to 'mongodb://db1,db2,db3/galla?replicaSet=rs0' --nats nats://nats1",
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

/** Of a number on the command line. */
function number(text: string): number {
  if (!/^[1-9]\d{0,11}$/.test(text)) throw new InvalidArgumentError('it is a whole number from 1 on');
  return Number(text);
}

function instant(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('it is an instant, as in 2026-11-20T09:15:00Z');
  return at;
}

function codeOf(thrown: unknown): number {
  // it has said what is wrong, or printed what was asked for
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  // what the system refuses, it says in one line: no space, no permission
  const isOfSystem = thrown instanceof Error && 'syscall' in thrown;
  if (thrown instanceof Error && (isOfSystem || saysWhatToDo.has(thrown.name))) say(thrown.message);
  else say(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
  return exitCodes.refused;
}
