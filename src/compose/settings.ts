/** Reads the settings from the environment, or reports what is wrong with them. */
import { readSettings, type Settings } from '../config.ts';

/** Invalid settings; one line each. */
export class BadSettings extends Error {
  override readonly name = 'BadSettings';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export function settingsOf(env: { readonly [name: string]: string | undefined }): Settings {
  const read = readSettings(env);
  if ('problems' in read) throw new BadSettings(read.problems);
  return read.settings;
}
