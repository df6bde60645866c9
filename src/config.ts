/** Every setting of the service: name, default, allowed values, reason.
 *  Boundary: environment variables in, validated values out; src/compose decides what a value does.
 *  1. An invalid value prevents the start: each gets one line with name, value and allowed values.
 *  2. An unknown name with our prefix is an error, not ignored.
 *  3. Each setting is in docs/reference/settings.md; a test compares the two. */
import { isLoopback } from './kernel/loopback.ts';
import { nearest } from './kernel/nearest.ts';
import { catalog, providerNames, traitsOf, type LiveHostName, type Provider } from './providers/catalog.ts';
import { days, minutes } from './kernel/time.ts';
import { liveHosts } from './providers/live-host-settings.ts';
import {
  duration,
  httpAddress,
  integer,
  keyOf32Bytes,
  natsAddresses,
  networks,
  onOff,
  oneOf,
  sender,
  setting,
  smtpAddress,
  token,
  type Setting,
} from './kernel/setting-values.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings, in reading order. */
export const settings = {
  port: setting({
    name: 'PORT',
    default: '8080',
    allowed: 'an integer from 0 to 65535',
    reason: 'the one port of the service; 0 picks a free one and prints it',
    read: integer(0, 65_535),
  }),
  host: setting({
    name: 'HOST',
    default: '127.0.0.1',
    allowed: 'an address of this machine or 0.0.0.0',
    reason: 'a new installation cannot be reached from outside by accident',
    read: (text) => (/^[0-9A-Za-z.:_-]{1,253}$/.test(text) ? text : undefined),
  }),
  baseUrl: setting({
    name: 'BASE_URL',
    default: null,
    allowed: 'an http or https address without query',
    reason: 'public address in checkout_url, events_url and mails; unset: http://HOST:PORT',
    read: httpAddress,
  }),
  trustedProxies: setting({
    name: 'GALLA_TRUSTED_PROXIES',
    default: null,
    allowed: 'addresses or networks (10.0.0.7, 10.0.0.0/8), separated by commas',
    reason: "whose X-Forwarded-For is trusted; unset: nobody's, the client is the address of the connection",
    read: networks,
  }),
  dataDir: setting({
    name: 'GALLA_DATA_DIR',
    default: '.galla',
    allowed: 'a folder',
    reason: 'the embedded store and the generated secrets, readable by their owner alone',
    read: (text) => (text.includes('\0') ? undefined : text),
  }),
  natsUrl: setting({
    name: 'NATS_URL',
    default: null,
    allowed: 'nats:// or tls:// addresses, separated by commas',
    reason: 'the bus of a cluster; set together with MONGODB_URL, else the service runs embedded',
    secret: true,
    read: natsAddresses,
  }),
  natsReplicas: setting({
    name: 'NATS_REPLICAS',
    default: '1',
    allowed: 'an integer from 1 to 5',
    reason: 'copies of each stream in a cluster of NATS servers; applied when they are created',
    read: integer(1, 5),
  }),
  mongodbUrl: setting({
    name: 'MONGODB_URL',
    default: null,
    allowed: 'a mongodb:// or mongodb+srv:// address of a replica set',
    reason: 'the store of a cluster; set together with NATS_URL, else the service runs embedded',
    secret: true,
    read: (text) => (/^mongodb(?:\+srv)?:\/\/\S+$/.test(text) ? text : undefined),
  }),
  storePatienceMs: setting({
    name: 'GALLA_STORE_PATIENCE_MS',
    default: '3000',
    allowed: 'an integer from 500 to 30000',
    reason:
      'how long a silent MongoDB is waited for before requests are refused, in ms; longer than its elections take',
    read: integer(500, 30_000),
  }),
  roles: setting({
    name: 'GALLA_ROLES',
    default: 'actors,gateways',
    allowed: 'actors, gateways or actors,gateways',
    reason:
      'what this node runs; without gateways it serves /health, /metrics, /admin/v1/nodes and the simulator',
    read: oneOf('actors,gateways', 'actors', 'gateways'),
  }),
  adminToken: setting({
    name: 'GALLA_ADMIN_TOKEN',
    default: null,
    allowed: '16 to 256 visible ASCII characters',
    reason: 'bearer token of the operator API; unset: generated into the data folder (required in a cluster)',
    secret: true,
    read: token,
  }),
  secretsKey: setting({
    name: 'GALLA_SECRETS_KEY',
    default: null,
    allowed: '32 bytes in base64',
    reason:
      'seals provider credentials and webhook secrets; unset: generated into the data folder (required in a cluster)',
    secret: true,
    read: keyOf32Bytes,
  }),
  rateLimits: setting({
    name: 'GALLA_RATE_LIMITS',
    default: 'on',
    allowed: 'on or off',
    reason:
      'off lifts limits of the API that answer 429 (logins stay limited); for load tests only, logged as a warning',
    read: onOff,
  }),
  webhookAllowPrivateHosts: setting({
    name: 'WEBHOOK_ALLOW_PRIVATE_HOSTS',
    default: null,
    allowed: 'on or off',
    reason: 'lets sandbox webhooks go to private addresses; unset: on when embedded and HOST is loopback',
    read: onOff,
  }),
  simulator: setting({
    name: 'GALLA_SIMULATOR',
    default: 'on',
    allowed: 'on, off or standalone',
    reason:
      'serves the provider simulator under /sim, for sandbox payments; standalone: for those of other services, too',
    read: oneOf('on', 'off', 'standalone'),
  }),
  simulatorReturnsTo: setting({
    name: 'GALLA_SIMULATOR_RETURNS_TO',
    default: null,
    allowed: 'an http or https address without query',
    reason:
      'the other service, with standalone: where providers return buyers and call, if that address is registered',
    read: httpAddress,
  }),
  simulatorSpelling: setting({
    name: 'GALLA_SIMULATOR_SPELLING',
    default: 'own',
    allowed: 'own or public',
    reason: 'how the simulator words what it answers; public: as the public documents of the providers do',
    read: oneOf('own', 'public'),
  }),
  ...liveHosts,
  smtpUrl: setting({
    name: 'GALLA_SMTP_URL',
    default: null,
    allowed: 'an smtp:// or smtps:// address, with user and password if needed',
    reason:
      'the server that takes live mail (receipts, invoices, disabled endpoints); unset: it is recorded as not sent',
    secret: true,
    read: smtpAddress,
  }),
  mailFrom: setting({
    name: 'GALLA_MAIL_FROM',
    default: null,
    allowed: 'an e-mail address, or a name with one: Galla <pay@example.com>',
    reason: 'the sender of live mail; required with GALLA_SMTP_URL',
    read: sender,
  }),
  smsUrl: setting({
    name: 'GALLA_SMS_URL',
    default: null,
    allowed: 'an http or https address without query',
    reason:
      'the HTTP endpoint that takes live SMS as {to, text, id}; unset: live SMS is recorded as not sent',
    read: httpAddress,
  }),
  smsSecret: setting({
    name: 'GALLA_SMS_SECRET',
    default: null,
    allowed: 'whsec_ and 24 to 64 bytes in base64',
    reason: 'signs the requests to GALLA_SMS_URL, as webhooks are signed; required with it',
    secret: true,
    read: (text) => (/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text) ? text : undefined),
  }),
  memoryMb: setting({
    name: 'GALLA_MEMORY_MB',
    default: null,
    allowed: 'an integer from 64 to 1048576',
    reason:
      'budget in MiB of actors and caches in memory; unset: a quarter of what the process may use, at least 64',
    read: integer(64, 1_048_576),
  }),
  backupDir: setting({
    name: 'GALLA_BACKUP_DIR',
    default: null,
    allowed: 'a folder',
    reason: 'where the embedded service puts backups of itself; unset: it makes none',
    read: (text) => (text.includes('\0') ? undefined : text),
  }),
  backupEveryMs: setting({
    name: 'GALLA_BACKUP_EVERY',
    default: '24h',
    allowed: 'a number with m, h or d, from 5m to 30d',
    reason: 'the time from one backup to the next',
    read: duration(minutes(5), days(30)),
  }),
  backupKeep: setting({
    name: 'GALLA_BACKUP_KEEP',
    default: '7',
    allowed: 'an integer from 1 to 1000',
    reason: 'how many backups of itself the service keeps; older ones are removed when a new one is made',
    read: integer(1, 1000),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    default: 'info',
    allowed: logLevels.join(', '),
    reason: 'how much is logged; JSON lines, readable ones on a terminal',
    read: oneOf(...logLevels),
  }),
} as const;

type Table = typeof settings;
type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

/** Validated values; null where nothing is set and there is no default. */
export type Settings = {
  readonly [Key in keyof Table]: Key extends UnsetByDefault
    ? ValueOf<Table[Key]> | null
    : ValueOf<Table[Key]>;
};
type UnsetByDefault =
  | 'backupDir'
  | 'webhookAllowPrivateHosts'
  | 'baseUrl'
  | 'memoryMb'
  | 'simulatorReturnsTo'
  | 'natsUrl'
  | 'mongodbUrl'
  | 'adminToken'
  | 'secretsKey'
  | 'smtpUrl'
  | 'mailFrom'
  | 'smsUrl'
  | 'smsSecret'
  | LiveHostName;

export type Read = { readonly settings: Settings } | { readonly problems: readonly string[] };

/** Reads the environment. An empty text counts as unset. `problems` holds one line per invalid or unknown
 *  name. */
export function readSettings(env: { readonly [name: string]: string | undefined }): Read {
  const problems = unknownNames(env);
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries<Setting<unknown>>(settings)) {
    const text = env[row.name] === '' ? undefined : env[row.name];
    const value = readOne(row, text);
    if (value === undefined) problems.push(problemOf(row, text ?? ''));
    values[key] = value;
  }
  // every key of the table was filled by its own read(), as the type Settings states
  const read = values as Settings;
  problems.push(...(problems.length > 0 ? [] : togetherProblems(read)));
  return problems.length > 0 ? { problems } : { settings: read };
}

/** Whether this process is one of a cluster's nodes. */
export const isCluster = ({ natsUrl, mongodbUrl }: Settings): boolean =>
  natsUrl !== null && mongodbUrl !== null;

/** Whether sandbox webhooks may be sent to private addresses. By default only where nobody but users of
 *  this machine can have a key: a key holder can read the beginning of what a private address answers. */
export const allowsPrivateHosts = (read: Settings): boolean =>
  read.webhookAllowPrivateHosts ?? (!isCluster(read) && isLoopback(read.host));

/** Combinations that are not allowed, although each value is valid by itself. */
function togetherProblems(read: Settings): readonly string[] {
  return [
    ...clusterProblems(read),
    ...messageProblems(read),
    ...simulatorProblems(read),
    ...providerNames.flatMap((provider) => apartProblems(read, provider)),
  ];
}

/** Both addresses or none: what was one address before is not guessed from. */
function apartProblems(read: Settings, provider: Provider): readonly string[] {
  const { liveHost: host } = catalog[provider];
  const { apart } = traitsOf(provider);
  const [calls, pages] = [read[host.calls], read[host.pages]];
  if (apart === undefined || (calls === null) === (pages === null)) return [];
  if (calls === null)
    return [
      `${host.calls} is not set, but ${host.pages} is: ${provider} needs both, for our calls and for pages`,
    ];
  const [was, now] = [`${host.pages}=${calls}${apart.pages}`, `${host.calls}=${calls}${apart.calls}`];
  return [
    `${host.pages} is not set, but ${host.calls} is: ${provider} needs both. ` +
      `If ${calls} was enough so far, set ${was} and ${now}`,
  ];
}

/** It takes payments that nobody has created here, and calls addresses that they name. */
const simulatorProblems = ({ simulator, host }: Settings): readonly string[] =>
  simulator === 'standalone' && !isLoopback(host)
    ? ['GALLA_SIMULATOR="standalone": anybody can create payments there, so HOST must be a loopback address']
    : [];

function messageProblems({ smtpUrl, mailFrom, smsUrl, smsSecret }: Settings): readonly string[] {
  return [
    ...(smtpUrl !== null && mailFrom === null
      ? ['GALLA_MAIL_FROM is not set, but GALLA_SMTP_URL is: mail needs a sender']
      : []),
    ...(smsUrl !== null && smsSecret === null
      ? ['GALLA_SMS_SECRET is not set, but GALLA_SMS_URL is: its requests must be signed']
      : []),
  ];
}

function clusterProblems(read: Settings): readonly string[] {
  const { natsUrl, mongodbUrl, adminToken, secretsKey, roles } = read;
  if (natsUrl === null && mongodbUrl === null)
    return roles === 'actors,gateways'
      ? []
      : [`GALLA_ROLES="${roles}": one node alone runs both; set NATS_URL and MONGODB_URL for a cluster`];
  const [unset, set] = natsUrl === null ? ['NATS_URL', 'MONGODB_URL'] : ['MONGODB_URL', 'NATS_URL'];
  if (natsUrl === null || mongodbUrl === null)
    return [`${unset} is not set, but ${set} is: a cluster needs both, an embedded service needs neither`];
  if (read.backupDir !== null)
    return [
      'GALLA_BACKUP_DIR is set: a cluster keeps everything in MongoDB, back that up (docs/guides/operate.md)',
    ];
  const needed = { GALLA_ADMIN_TOKEN: adminToken, GALLA_SECRETS_KEY: secretsKey };
  return Object.entries(needed)
    .filter(([, value]) => value === null)
    .map(([name]) => `${name} is not set: in a cluster every node must be given the same one`);
}

function readOne(row: Setting<unknown>, text: string | undefined): unknown {
  const said = text ?? row.default;
  return said === null ? null : row.read(said);
}

const problemOf = (row: Setting<unknown>, text: string): string =>
  `${row.name}=${row.secret === true ? '(hidden)' : JSON.stringify(text)}: must be ${row.allowed}`;

const ourPrefix = 'GALLA_';
/** How many letters may differ for a name to count as a misspelled one of ours. */
const lettersWrongMax = 4;

function unknownNames(env: { readonly [name: string]: string | undefined }): string[] {
  const known = Object.values<Setting<unknown>>(settings).map((row) => row.name);
  return Object.keys(env)
    .filter((name) => name.startsWith(ourPrefix) && !known.includes(name))
    .sort()
    .map((name) => {
      const short = name.slice(ourPrefix.length);
      const meant = known.includes(short) ? short : nearest(name, known, lettersWrongMax);
      return `${name}: no such setting${meant === null ? '' : `; did you mean ${meant}?`}`;
    });
}
