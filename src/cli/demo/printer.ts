/** Prints the demo step by step on a terminal: what was done, the result, and how long it took. */
import { setTimeout as pause } from 'node:timers/promises';

/** A line under a step: a name and its value. */
export type Fact = readonly [name: string, text: string];

export interface StepResult<Value> {
  readonly value: Value;
  readonly facts: readonly Fact[];
}

const columns = 80;
const nameColumns = 11;

export class DemoPrinter {
  private readonly write: (text: string) => void;
  private readonly colours: boolean;
  private step_ = 0;
  private readonly from = performance.now();

  constructor(write: (text: string) => void, colours: boolean) {
    this.write = write;
    this.colours = colours;
  }

  title(text: string, under: string): void {
    this.write(`\n  ${this.bold(text)}\n  ${this.faint(under)}\n`);
  }

  chapter(text: string): void {
    const line = '─'.repeat(Math.max(0, columns - 3 - text.length));
    this.write(`\n  ${this.bold(text)} ${this.faint(line)}\n`);
  }

  /** Runs one step and prints it; a failed step is printed with its reason, and the error is rethrown. */
  async step<Value>(title: string, work: () => Promise<StepResult<Value>>): Promise<Value> {
    const number = String(++this.step_).padStart(2);
    const from = performance.now();
    const took = (): string =>
      `${Math.round(performance.now() - from)} ms`.padStart(columns - 8 - title.length);
    try {
      const { value, facts } = await work();
      this.write(`\n  ${this.green('✓')} ${number}  ${title}${this.faint(took())}\n`);
      for (const [name, text] of facts) this.fact(name, text);
      return value;
    } catch (failure) {
      this.write(`\n  ${this.red('✗')} ${number}  ${title}${this.faint(took())}\n`);
      this.fact('failed', failure instanceof Error ? failure.message : String(failure));
      throw failure;
    }
  }

  end(text: string): void {
    const seconds = ((performance.now() - this.from) / 1000).toFixed(1);
    this.write(
      `\n  ${this.faint('─'.repeat(columns - 2))}\n` +
        `  ${this.bold(text)} ${this.faint(`${this.step_} steps, ${seconds} s`)}\n\n`,
    );
  }

  private fact(name: string, text: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      this.write(`       ${this.faint((at === 0 ? name : '').padEnd(nameColumns))} ${line}\n`);
    }
  }

  private bold(text: string): string {
    return this.painted(1, text);
  }
  private faint(text: string): string {
    return this.painted(2, text);
  }
  private green(text: string): string {
    return this.painted(32, text);
  }
  private red(text: string): string {
    return this.painted(31, text);
  }

  private painted(code: number, text: string): string {
    return this.colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

/** Throws with the expectation when it does not hold. */
export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Repeats until `look` returns something; throws with what it waited for when that takes longer than
 *  `waitMs`. */
export async function eventually<Value>(
  what: string,
  waitMs: number,
  look: () => Promise<Value | null>,
): Promise<Value> {
  const until = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > until) throw new Error(`waited ${waitMs} ms in vain: ${what}`);
    await pause(50);
  }
}
