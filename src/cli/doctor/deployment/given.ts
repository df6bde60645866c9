/** The settings that a file gives to a service. */
import { readSettings, settings, type Settings } from '../../../config.ts';
import { findingsOf, type Finding } from '../../../kernel/finding.ts';

/** How long a service takes to stop at most, while a refund call is out. */
export const stopSecondsMax = 15;

/** A value that the file names and does not hold. */
export const elsewhere = Symbol('elsewhere');

export interface Given {
  readonly [name: string]: string | typeof elsewhere;
}

/** What is wrong with the settings that a file gives; `named`: the names whose values stand in it. `settings`: null
 *  where they cannot be read. What is elsewhere counts as right. */
export function settingsIn(
  file: string,
  given: Given,
  named: readonly string[],
): { readonly findings: readonly Finding[]; readonly settings: Settings | null } {
  const { problem, warning } = findingsOf('deployment');
  const texts = Object.entries(given).map(([name, value]) => [
    name,
    value === elsewhere ? (standIns[name] ?? '') : value,
  ]);
  const read = readSettings(Object.fromEntries(texts));
  if ('problems' in read)
    return { findings: read.problems.map((line) => problem(`${file}: ${line}`)), settings: null };
  const open = Object.values(settings).filter(
    (one) => 'secret' in one && one.secret && named.includes(one.name),
  );
  const findings = open.map(({ name }) =>
    warning(`${file} holds ${name}: whoever reads the file has it; keep it where only the service reads it`),
  );
  return { findings, settings: read.settings };
}

/** Values that are allowed, for those that cannot be seen. */
const standIns: { readonly [name: string]: string } = {
  NATS_URL: 'nats://nats',
  MONGODB_URL: 'mongodb://mongodb/galla?replicaSet=rs0',
  GALLA_ADMIN_TOKEN: 'a-token-that-is-elsewhere',
  GALLA_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
};
