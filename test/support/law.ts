/** What a rule about the sources is. */
import type { Source } from './house.ts';

export interface Law {
  readonly says: string;
  /** Files it is about. */
  readonly rooms: RegExp;
  /** What breaks it, one text each. */
  readonly broken: (source: Source) => readonly string[];
  /** A file that breaks it. */
  readonly breach: readonly [path: string, text: string];
}

/** Lines of code that match; what a comment says is no call. */
export const says =
  (...patterns: readonly RegExp[]) =>
  ({ lines }: Source): readonly string[] =>
    lines.flatMap((line, at) => {
      const isCode = !/^\s*(?:\/\/|\*|\/\*)/.test(line);
      return isCode && patterns.some((pattern) => pattern.test(line))
        ? [`line ${at + 1}: ${line.trim()}`]
        : [];
    });
