/** What `galla doctor --deployment` finds in a unit of systemd. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findingsOf, type Finding } from '../../../kernel/finding.ts';
import { settingsIn, stopSecondsMax, type Given } from './given.ts';

/** Of `Environment=`: with spaces only where they are quoted. */
const words = /"[^"]*"|'[^']*'|\S+/g;
/** A connection of a client is a file. */
const filesMin = 16_384;
const { ok, warning, problem, unknown } = findingsOf('deployment');

export function unitFindings(file: string, text: string): readonly Finding[] {
  const unit = new Unit(text);
  const { given, named, notRead } = unit.environment();
  const { findings, settings } = settingsIn(file, given, named);
  const said = [
    ...notRead.map((path) =>
      unknown(`${path}, which ${file} names, cannot be read: run this as a user who may, as with sudo`),
    ),
    ...findings,
    ...(settings === null
      ? []
      : [settings.dataDir, settings.backupDir].flatMap((folder) => folderFindings(file, unit, folder))),
    ...stopFindings(file, unit),
    ...limitFindings(file, unit, settings?.memoryMb ?? null),
  ];
  return said.some(({ is }) => is === 'problem' || is === 'warning')
    ? said
    : [...said, ok(`${file} is as a service needs it`)];
}

class Unit {
  private readonly lines: readonly (readonly [name: string, value: string])[];

  constructor(text: string) {
    const whole = text.replaceAll(/\\\n\s*/g, ' ');
    this.lines = [...whole.matchAll(/^([A-Z]\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.trim(),
    ]);
  }

  all(name: string): readonly string[] {
    return this.lines.flatMap(([of, value]) => (of === name ? [value] : []));
  }

  /** As systemd: the last one counts. */
  one(name: string): string | null {
    return this.all(name).at(-1) ?? null;
  }

  /** Of the settings; what other programs read, such as NODE_ENV, is none of ours. */
  environment(): {
    readonly given: Given;
    readonly named: readonly string[];
    readonly notRead: readonly string[];
  } {
    const own = assignments(this.all('Environment').flatMap((value) => value.match(words) ?? []));
    const files = this.all('EnvironmentFile').map((value) => value.replace(/^-/, ''));
    const read = files.map((path) => ({ path, lines: linesOf(path) }));
    const given = Object.assign({}, own, ...read.map(({ lines }) => assignments(lines ?? []))) as Given;
    const { NODE_ENV: _ofNode, NODE_OPTIONS: _too, ...ours } = given;
    const notRead = read.flatMap(({ path, lines }) => (lines === null ? [path] : []));
    return { given: ours, named: Object.keys(own), notRead };
  }

  /** Whether the service may write there. */
  writes(named: string): boolean {
    const folder = resolve(this.one('WorkingDirectory') ?? '/', named);
    if (this.one('ProtectSystem') !== 'strict') return true;
    const states = this.all('StateDirectory').map((name) => `/var/lib/${name}`);
    const paths = this.all('ReadWritePaths').flatMap((value) => value.split(/\s+/));
    const allowed = [...states, ...paths.map((path) => path.replace(/^[-+]+/, ''))];
    return allowed.some((path) => folder === path || folder.startsWith(`${path}/`));
  }
}

function linesOf(path: string): readonly string[] | null {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    // the caller says so
    return null;
  }
}

const unquoted = (text: string): string => text.replace(/^(['"])(.*)\1$/, '$2');

function assignments(texts: readonly string[]): Given {
  const pairs = texts.flatMap((text) => {
    const [, name, value = ''] = /^([A-Z_][A-Z0-9_]*)=(.*)$/.exec(unquoted(text.trim())) ?? [];
    return name === undefined ? [] : [[name, unquoted(value)] as const];
  });
  return Object.fromEntries(pairs);
}

function folderFindings(file: string, unit: Unit, folder: string | null): readonly Finding[] {
  if (folder === null || unit.writes(folder)) return [];
  const text = `${file}: the service may not write ${folder} (ProtectSystem=strict)`;
  return [problem(`${text}: add ReadWritePaths=${folder}`)];
}

function stopFindings(file: string, unit: Unit): readonly Finding[] {
  const [restart, stop] = [unit.one('Restart'), secondsOf(unit.one('TimeoutStopSec') ?? '90')];
  return [
    ...(restart === 'always' || restart === 'on-failure'
      ? []
      : [warning(`${file}: a service that ends is not started again: set Restart=always`)]),
    ...(stop === null || stop > stopSecondsMax
      ? []
      : [
          warning(
            `${file}: TimeoutStopSec=${stop} kills a service while a refund call is out, which a person must then ` +
              `look at: set more than ${stopSecondsMax}`,
          ),
        ]),
    ...(unit.one('User') === null
      ? [warning(`${file}: the service runs as root: set User= to a user of its own`)]
      : []),
  ];
}

function limitFindings(file: string, unit: Unit, memoryMb: number | null): readonly Finding[] {
  const files = Number((unit.one('LimitNOFILE') ?? '1024').split(':')[0]);
  const memoryMax = mebibytesOf(unit.one('MemoryMax') ?? '');
  return [
    ...(files >= filesMin || Number.isNaN(files)
      ? []
      : [warning(`${file}: ${files} open files are as many clients: set LimitNOFILE=65536`)]),
    ...(memoryMb !== null && memoryMax !== null && memoryMb >= memoryMax
      ? [
          problem(
            `${file}: GALLA_MEMORY_MB=${memoryMb} of actors and caches does not fit in MemoryMax: leave it out`,
          ),
        ]
      : []),
  ];
}

/** null: no end, or a text that is not understood. */
function secondsOf(text: string): number | null {
  const [, count, unit = ''] = /^(\d+)\s*(s|sec|min|m)?$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (unit.startsWith('m') ? 60 : 1);
}

function mebibytesOf(text: string): number | null {
  const [, count, unit = ''] = /^(\d+)([KMG])?$/.exec(text) ?? [];
  const factor: { readonly [unit: string]: number } = { '': 2 ** -20, K: 2 ** -10, M: 1, G: 2 ** 10 };
  return count === undefined ? null : Number(count) * (factor[unit] ?? Number.NaN);
}
