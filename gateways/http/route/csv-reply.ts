/** A list as one CSV file, written as fast as the client reads.
 *  1. At most one batch of rows and its text are in memory; the next one is read when the client has taken
 *     what was written.
 *  2. A client that takes nothing for 30 s, or is not done after 15 minutes, is disconnected. A file that
 *     cannot be completed breaks off: its connection is closed without the end of the body, so that it is
 *     not mistaken for a whole one.
 *  3. One project cannot take all the room for files: slow readers of one do not keep the others out. */
import type { HttpResponse } from 'uWebSockets.js';
import { minutes, realScheduler, seconds, type DurationMs } from '../../../src/kernel/time.ts';
import type { MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { DoorReply, StreamStart } from '../../server/door.ts';
import { refusalReply } from '../access/gate.ts';
import { CorkedWriter } from '../../server/corked.ts';
import { csvLine, csvRow } from './csv.ts';
import { refused, unavailable, type Answer, type Refused } from './answer.ts';
import type { Headers } from './reply.ts';
import type { Rows } from './rows.ts';

/** The file of a list. */
export interface CsvFile {
  /** Top-level fields of the object, in their order. */
  readonly columns: readonly string[];
  readonly name: string;
}

/** Files of one list written at once on one node; each holds some rows in memory. */
export const filesAtOnceMax = 20;
/** Files of one list that one project and mode may have written to it at once. */
export const filesOfOneMax = 2;
const usualWaits: Waits = { unreadMs: seconds(30), fileMs: minutes(15) };
/** How long a client may take nothing, and how long one file may take. */
interface Waits {
  readonly unreadMs: DurationMs;
  readonly fileMs: DurationMs;
}

/** Characters of one write. */
const pieceCharacters = 64 * 1024;

export class CsvReplies {
  private readonly file: CsvFile;
  private readonly log: Pick<Log, 'warn'>;
  private readonly writer = new CorkedWriter();
  private readonly waits: Waits;
  private open = 0;
  private readonly openOf = new Map<string, number>();

  constructor(file: CsvFile, log: Pick<Log, 'warn'>, waits = usualWaits) {
    this.file = file;
    this.log = log;
    this.waits = waits;
  }

  /** `read` is called only where there is room for a file: reading is what costs. An answer that is not
   *  rows is made a reply by `otherwise`. Rejects when `read` does. */
  async reply(
    { owner, requestId, headers }: Asked,
    read: () => MaybePromise<Answer | Rows>,
    otherwise: (answer: Answer) => DoorReply,
  ): Promise<DoorReply> {
    const refusal = this.take(owner);
    if (refusal !== null) return refusalReply(refusal, requestId, headers);
    let rows: Rows | null = null;
    try {
      const answer = await read();
      if (answer.is !== 'rows') return otherwise(answer);
      rows = answer;
    } finally {
      if (rows === null) this.free(owner);
    }
    return this.written(rows, owner, headers);
  }

  private written(rows: Rows, owner: string, headers: Headers): DoorReply {
    const how = { writer: this.writer, ...this.waits };
    const stream = new CsvStream(piecesOf(this.file, rows), how, (problem) => {
      this.free(owner);
      if (problem !== null)
        this.log.warn({ err: problem, file: this.file.name }, 'a CSV response was cut off');
    });
    return {
      status: 200,
      headers: {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="${this.file.name}.csv"`,
        'X-Total-Count': String(rows.total),
        ...headers,
      },
      body: null,
      stream,
    };
  }

  /** null: there is room, and it is taken until `free`. */
  private take(owner: string): Refused | null {
    const own = this.openOf.get(owner) ?? 0;
    if (own >= filesOfOneMax) return tooManyFiles;
    if (this.open >= filesAtOnceMax) return unavailable;
    this.open++;
    this.openOf.set(owner, own + 1);
    return null;
  }

  private free(owner: string): void {
    this.open--;
    const left = (this.openOf.get(owner) ?? 0) - 1;
    if (left > 0) this.openOf.set(owner, left);
    else this.openOf.delete(owner);
  }
}

interface Asked {
  /** Who the file is written for. */
  readonly owner: string;
  readonly requestId: string;
  readonly headers: Headers;
}

const tooManyFiles: Refused = {
  ...refused('rate_limit_exceeded', {
    message: `This project is downloading ${filesOfOneMax} files. Try again when one of them is complete.`,
  }),
  retryAfterSeconds: 5,
};

async function* piecesOf({ columns }: CsvFile, { batches }: Rows): AsyncGenerator<string> {
  let text = csvLine(columns);
  for await (const batch of batches) {
    for (const object of batch) {
      text += csvRow(columns, object);
      if (text.length < pieceCharacters) continue;
      yield text;
      text = '';
    }
  }
  yield text;
}

/** Called once: null when the file was written or its client left, else why it broke off. */
type Over = (problem: unknown) => void;

interface Writing extends Waits {
  readonly writer: CorkedWriter;
}

class CsvStream implements StreamStart {
  private readonly pieces: AsyncGenerator<string>;
  private readonly how: Writing;
  private readonly onOver: Over;
  private res: HttpResponse | null = null;
  private over = false;
  private stopClock = (): void => undefined;
  /** Continues after the client has read, or has left. */
  private resume: (() => void) | null = null;

  constructor(pieces: AsyncGenerator<string>, how: Writing, onOver: Over) {
    this.pieces = pieces;
    this.how = how;
    this.onOver = onOver;
  }

  begin(res: HttpResponse): void {
    this.res = res;
    res.onAborted(() => this.end(null));
    res.onWritable(() => {
      this.resume?.();
      return true;
    });
    this.stopClock = realScheduler.after(this.how.fileMs, () => this.cut(null));
    // the first write comes after an await, so outside of the listener's cork
    void this.write();
  }

  missed(): void {
    this.end(null);
  }

  private async write(): Promise<void> {
    try {
      for await (const piece of this.pieces) {
        if (this.res === null) return;
        if (!this.how.writer.write(this.res, piece, false) && !(await this.read())) return;
      }
    } catch (problem) {
      this.cut(problem);
      return;
    }
    const { res } = this;
    this.end(null);
    if (res !== null) this.how.writer.write(res, '', true);
  }

  /** Waits until the client has read; false when it has left, or read nothing for too long. */
  private async read(): Promise<boolean> {
    let cancel = (): void => undefined;
    await new Promise<void>((resolve) => {
      this.resume = resolve;
      cancel = realScheduler.after(this.how.unreadMs, () => {
        this.cut(null);
        resolve();
      });
    });
    cancel();
    this.resume = null;
    return this.res !== null;
  }

  private cut(problem: unknown): void {
    const { res } = this;
    this.end(problem);
    res?.close();
  }

  private end(problem: unknown): void {
    if (this.over) return;
    this.over = true;
    this.res = null;
    this.stopClock();
    this.resume?.();
    this.onOver(problem);
  }
}
