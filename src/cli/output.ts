/** How commands print: results on stdout, everything else on stderr. */

export const exitCodes = { done: 0, refused: 1, usage: 2 } as const;

/** One line for the person who typed the command. */
export function say(line: string): void {
  process.stderr.write(`galla: ${line}\n`);
}

/** A line that replaces the one before; nothing where nobody watches. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}

/** Ends the line of `progress`. */
export function progressEnd(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}

/** The result: as JSON for a program, as lines for a person. */
export function print(result: object, lines: readonly string[], asJson: boolean | undefined): void {
  process.stdout.write(asJson === true ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
}
