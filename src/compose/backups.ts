/** Backups that an embedded service makes of itself (GALLA_BACKUP_DIR): `galla backup`, run in a process of its own.
 *  1. The newest file in the folder says when the next one is due, so a restart makes none too early and none too late.
 *  2. Older backups are removed only after a new one was made, and only files that are named as backups are. */
import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Settings } from '../config.ts';
import { makeFolders } from '../kernel/folders.ts';
import { packageRoot } from '../kernel/package-root.ts';
import {
  minutes,
  realScheduler,
  seconds,
  type Cancel,
  type DurationMs,
  type Instant,
  type Scheduler,
} from '../kernel/time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Closing } from './closing.ts';

/** Not while a service starts. */
export const firstMs: DurationMs = seconds(30);
/** After a backup that failed, unless the next one is due earlier. */
export const againMs: DurationMs = minutes(10);
const timerMsMax: DurationMs = minutes(60);
/** One that takes longer is ended, and counts as failed. */
const backupMsMax: DurationMs = minutes(60);
const backupName = /^galla-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)\.db\.gz$/;
/** What a command that was ended has left. */
const leftoverEnd = /\.(?:partial|copy(?:-wal|-shm|-journal)?)$/;

/** Makes one; rejects with the line it said. */
export type MakeBackup = (folder: string, stop: AbortSignal) => Promise<void>;

export interface BackupsParts {
  readonly settings: Pick<Settings, 'backupDir' | 'backupEveryMs' | 'backupKeep' | 'dataDir'>;
  readonly log: Pick<Log, 'info' | 'error'>;
  readonly metrics: Pick<Metrics, 'watchBackups'>;
  readonly scheduler?: Scheduler;
  readonly make?: MakeBackup;
}

/** Begins the schedule, if there is to be one. */
export function scheduleBackups(parts: BackupsParts, closing: Closing): void {
  const { settings, metrics } = parts;
  if (settings.backupDir === null) return;
  const backups = new Backups(parts, settings.backupDir);
  metrics.watchBackups(() => backups.ageMs / 1000, settings.backupEveryMs / 1000);
  backups.begin();
  closing.later(async () => backups.stop());
}

/** The name of a backup in a folder: in order of time. */
export const backupNameAt = (begun: Date): string =>
  `galla-${begun
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}.db.gz`;

/** When the backup of this name was begun; null: it is no backup. */
export function begunAt(name: string): Instant | null {
  const [, date, hour, minute, rest] = backupName.exec(name) ?? [];
  return date === undefined ? null : Date.parse(`${date}${hour}:${minute}:${rest}`);
}

class Backups {
  private readonly parts: BackupsParts;
  private readonly folder: string;
  private readonly scheduler: Scheduler;
  private readonly startedAt: Instant;
  private readonly ending = new AbortController();
  private cancel: Cancel = () => undefined;
  private newestAt: Instant | null = null;

  constructor(parts: BackupsParts, folder: string) {
    this.parts = parts;
    this.folder = folder;
    this.scheduler = parts.scheduler ?? realScheduler;
    this.startedAt = this.scheduler.now();
  }

  get ageMs(): DurationMs {
    return this.scheduler.now() - (this.newestAt ?? this.startedAt);
  }

  begin(): void {
    try {
      makeFolders(this.folder, 0o700);
      this.newestAt = this.names()[0]?.at ?? null;
      this.removeLeftovers();
    } catch (err) {
      this.parts.log.error({ err }, `no backup can be made in ${this.folder}`);
    }
    this.next(Math.max(firstMs, this.dueInMs()));
  }

  stop(): void {
    this.cancel();
    this.ending.abort();
  }

  private dueInMs(): DurationMs {
    return this.newestAt === null
      ? 0
      : this.newestAt + this.parts.settings.backupEveryMs - this.scheduler.now();
  }

  /** A timer holds at most some weeks, and the clock may be set: it looks again now and then. */
  private next(inMs: DurationMs): void {
    this.cancel = this.scheduler.after(Math.min(inMs, timerMsMax), () => {
      if (inMs > timerMsMax && this.dueInMs() > 0) this.next(Math.max(firstMs, this.dueInMs()));
      else void this.run();
    });
  }

  private async run(): Promise<void> {
    const { settings, log, make = ofCommand(settings.dataDir) } = this.parts;
    try {
      await make(this.folder, this.ending.signal);
      const [newest, ...older] = this.names();
      if (newest === undefined || newest.at === this.newestAt)
        throw new Error('the command has made no file');
      this.newestAt = newest.at;
      for (const { name } of older.slice(settings.backupKeep - 1)) rmSync(join(this.folder, name));
      const { size } = statSync(join(this.folder, newest.name));
      log.info({ file: newest.name, bytes: size }, 'a backup was made');
      this.next(Math.max(firstMs, this.dueInMs()));
    } catch (err) {
      if (this.ending.signal.aborted) return;
      log.error({ err }, `no backup could be made in ${this.folder}; the next try is in a few minutes`);
      this.next(Math.min(againMs, settings.backupEveryMs));
    }
  }

  /** Younger ones may be those of a command that somebody has typed. */
  private removeLeftovers(): void {
    for (const name of readdirSync(this.folder)) {
      const at = leftoverEnd.test(name) ? begunAt(name.replace(leftoverEnd, '')) : null;
      if (at !== null && at + backupMsMax < this.scheduler.now()) rmSync(join(this.folder, name));
    }
  }

  /** The newest first. */
  private names(): readonly { readonly name: string; readonly at: Instant }[] {
    return readdirSync(this.folder)
      .flatMap((name) => {
        const at = begunAt(name);
        return at === null ? [] : [{ name, at }];
      })
      .toSorted((a, b) => b.at - a.at);
  }
}

const ofCommand =
  (dataDir: string): MakeBackup =>
  async (folder, signal) => {
    const command = join(packageRoot(), 'dist', 'src', 'cli', 'galla.js');
    const args = [command, 'backup', `${folder}/`, '--data-dir', dataDir, '--json'];
    await promisify(execFile)(process.execPath, args, { signal, timeout: backupMsMax });
  };
