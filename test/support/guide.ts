/** A script of the guides as its reader runs it: a separate process, controlled by signals, observed by its output. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { root } from './house.ts';

export interface Guide {
  /** Everything it has printed. */
  said(): string;
  /** Waits until it has printed this. */
  heard(words: RegExp): Promise<RegExpExecArray>;
  /** Resolves with its exit code, null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends the signal, waits for the end, gives the exit code. */
  end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** `env` beside this process's own. A script of PHP is a server of PHP's own, at the address that is its argument. */
export function runGuide(
  name: string,
  args: readonly string[],
  env: { readonly [name: string]: string },
): Guide {
  const script = join(root, 'docs/guides', name);
  const [program, ...given] = name.endsWith('.php')
    ? ['php', '-S', ...args, script]
    : [process.execPath, script, ...args];
  const child = spawn(program ?? '', given, { env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  }
  const ended = new Promise<number | null>((done) => void child.once('exit', done));
  return {
    said: () => said,
    heard: (words) =>
      eventually(
        () => Promise.resolve(words.exec(said)),
        () => `${String(words)} in: ${said}`,
      ),
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
