/** The log: JSON lines for machines, readable lines on a terminal.
 *  Boundary: format and redaction; the callers decide what to log.
 *  1. No key, token, secret, password or buyer data ever reaches a line, even if it is logged by mistake.
 *  2. A session id is a buyer's access token: lines contain its hash, which is the same in every line. */
import { pino, type DestinationStream, type Logger } from 'pino';
import { sha256Hex } from '../kernel/hash.ts';

export type Log = Logger;

export interface LogOptions {
  /** A level of pino, e.g. `info`. */
  readonly level: string;
  /** Readable lines instead of JSON. */
  readonly pretty: boolean;
  /** Where lines are written; default: standard output. */
  readonly write?: (line: string) => void;
}

/** Opens the log. */
export function createLog({ level, pretty, write }: LogOptions): Log {
  const out: DestinationStream = write === undefined ? pino.destination({ fd: 1, sync: true }) : { write };
  const destination = pretty ? { write: (line: string) => out.write(readable(line)) } : out;
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths, censor: '[hidden]' },
      hooks: { streamWrite: scrub },
    },
    destination,
  );
}

/** Field names of secrets and buyer data in our own objects. */
const secretNames = [
  'authorization',
  'cookie',
  'password',
  'passwordHash',
  'secret',
  'secretKey',
  'signing_secret',
  'sealedSecret',
  'sealedCredentials',
  'credentials',
  'token',
  'adminToken',
  'key',
  'customer',
  'customerAddress',
  'email',
  'phone',
  'mobileNumber',
];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

const apiKey = /\b([ps]k_(?:test|sandbox|live)_)[0-9A-Za-z]+/g;
const webhookSecret = /\bwhsec_[0-9A-Za-z+/=]+/g;
const bearer = /\b(Bearer\s+)[^\s"\\]+/gi;
const sessionId = /\bcs_[0-9a-hjkmnp-tv-z]{24}\b/g;

/** What redaction by field name cannot find: secrets inside texts. */
const scrub = (line: string): string =>
  line
    .replace(apiKey, '$1[hidden]')
    .replace(webhookSecret, 'whsec_[hidden]')
    .replace(bearer, '$1[hidden]')
    .replace(sessionId, (id) => `cs#${sha256Hex(id).slice(0, 10)}`);

/** `09:15:00.000 WARN  text key=value ...` from one JSON line; any other line unchanged. */
function readable(line: string): string {
  const entry = parsed(line);
  if (entry === null) return line;
  const { level, time, msg, ...rest } = entry;
  const name = typeof level === 'number' ? (pino.levels.labels[level] ?? String(level)) : '';
  const clock = typeof time === 'number' ? new Date(time).toISOString().slice(11, 23) : '';
  const details = Object.entries(rest).map(([key, value]) => ` ${key}=${shown(value)}`);
  return `${clock} ${name.toUpperCase().padEnd(5)} ${typeof msg === 'string' ? msg : ''}${details.join('')}\n`;
}

function parsed(line: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) ? JSON.stringify(value) : value;
  return stackOf(value) ?? JSON.stringify(value);
}

/** An error's stack, indented under its line. */
function stackOf(value: unknown): string | null {
  const stack = typeof value === 'object' && value !== null && 'stack' in value ? value.stack : undefined;
  return typeof stack === 'string' ? `\n    ${stack.replaceAll('\n', '\n    ')}` : null;
}
