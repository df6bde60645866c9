/** Calls from the event loop to a worker of the store, and the worker's side that answers them.
 *  Boundary: knows threads and messages, nothing of databases.
 *  1. Answers arrive in the order of the calls: a worker does one thing at a time.
 *     Calls of one round of the event loop go in one message, and so do their answers: a message costs more than
 *     a look-up.
 *  2. A worker that ends, for whatever reason, leaves no call unanswered.
 *  3. A worker without calls does not keep the process alive. */
import { Worker, type MessagePort } from 'node:worker_threads';

/** Operation -> its argument and its result. */
export type Operations = Readonly<Record<string, (input: never) => unknown>>;

export interface Calls<Ops extends Operations> {
  /** Rejects with what the worker threw (its name and message), or with WorkerGone. `now`: it does not wait for others
   *  of this round of the event loop, so the worker begins before the rest of the round is done. */
  call<K extends keyof Ops & string>(
    operation: K,
    input: Parameters<Ops[K]>[0],
    when?: 'now',
  ): Promise<ReturnType<Ops[K]>>;
  /** Stops the worker once it has answered everything; resolves when its thread has ended. */
  end(): Promise<void>;
}

/** The worker ended before it answered. */
export class WorkerGone extends Error {
  override readonly name = 'WorkerGone';
}

interface Question {
  readonly call: number;
  readonly operation: string;
  readonly input: unknown;
}

type Answer = { readonly call: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } }
);

/** Stands in place of the number of a call: an error of work that nobody had asked for. */
const unaskedCall = 0;

/** An answer does not wait longer than this for those behind it. */
const togetherMs = 1;

/** Starts a worker; `name` is its name in errors. `onGone` is called once if it ended unexpectedly, `onReport` with
 *  each error of work that nobody had asked for. */
export function startCalls<Ops extends Operations>(
  name: string,
  module: URL,
  onGone: (why: string) => void,
  onReport: (error: Error) => void = ({ message }) => onGone(message),
): Calls<Ops> {
  // A module built from sources is already plain JavaScript, so this process's compiler need not be loaded
  // for it again.
  const worker = new Worker(module, module.protocol === 'data:' ? { name, execArgv: [] } : { name });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  let asked = false;
  let gone: WorkerGone | null = null;
  let exitReason: string | null = null;
  let unsent: Question[] = [];
  const send = (): void => {
    if (unsent.length > 0) worker.postMessage(unsent);
    unsent = [];
  };

  worker.on('message', (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const caller = waiting.get(answer.call);
      waiting.delete(answer.call);
      if ('value' in answer) {
        caller?.resolve(answer.value);
        continue;
      }
      const error = Object.assign(new Error(answer.error.message), { name: answer.error.name });
      if (answer.call === unaskedCall) onReport(error);
      else caller?.reject(error);
    }
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (error) => {
    exitReason = error instanceof Error ? error.message : String(error);
  });
  const exit = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      gone = new WorkerGone(`${name} ended${exitReason === null ? ` with code ${code}` : `: ${exitReason}`}`);
      for (const caller of waiting.values()) caller.reject(gone);
      waiting.clear();
      if (!asked) onGone(gone.message);
      resolve();
    });
  });

  return {
    call(operation, input, when) {
      if (gone !== null || asked) return Promise.reject(gone ?? new WorkerGone(`${name} is closed`));
      const question: Question = { call: ++calls, operation, input };
      return new Promise((resolve, reject) => {
        // The worker's answer has the type declared by the operation.
        waiting.set(question.call, { resolve: resolve as (value: unknown) => void, reject });
        if (waiting.size === 1) worker.ref();
        if (unsent.push(question) === 1 && when !== 'now') setImmediate(send);
        if (when === 'now') send();
      });
    },
    end() {
      send();
      if (!asked && gone === null) worker.postMessage(null);
      asked = true;
      worker.ref();
      return exit;
    },
  };
}

/** Answers calls on a thread's own port until it is told to stop; then runs `onEnd` and lets the thread
 *  end. The function it returns reports an error of work that nobody had asked for. */
export function answerCalls<Ops extends Operations>(
  port: MessagePort,
  operations: Ops,
  onEnd: () => void | Promise<void>,
): (error: Error) => void {
  port.on('message', (questions: readonly Question[] | null) => {
    if (questions === null) {
      port.close();
      void onEnd();
      return;
    }
    let answers: Answer[] = [];
    let since = performance.now();
    for (const question of questions) {
      answers.push(answerOf(operations, question));
      if (performance.now() - since < togetherMs) continue;
      port.postMessage(answers);
      answers = [];
      since = performance.now();
    }
    if (answers.length > 0) port.postMessage(answers);
  });
  return ({ name, message }) => port.postMessage([{ call: unaskedCall, error: { name, message } }]);
}

function answerOf(operations: Operations, { call, operation, input }: Question): Answer {
  try {
    const run = operations[operation];
    if (run === undefined) throw new Error(`no operation ${operation}`);
    return { call, value: run(input as never) };
  } catch (error) {
    return error instanceof Error
      ? { call, error: { name: error.name, message: error.message } }
      : { call, error: { name: 'Error', message: String(error) } };
  }
}
