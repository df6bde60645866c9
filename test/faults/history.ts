/** What the clients of one run saw, in the order they saw it. Written while it happens, read by the checker later:
 *  the service is not asked again. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/** A soak, looked at every few seconds. */
export interface Sample {
  readonly is: 'sample';
  /** Real time. */
  readonly at: number;
  /** null: it is dead at that moment. */
  readonly nodes: readonly ({ readonly rssMiB: number; readonly descriptors: number } | null)[];
  /** Checkouts acknowledged since the sample before; how long their merchants waited, repeats included. */
  readonly creates: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Answers of 500 and above since the sample before, by status; 0: cut off. */
  readonly failed: { readonly [status: string]: number };
}

export type Entry =
  /** A keyed create was answered. */
  | {
      readonly is: 'created';
      readonly n: number;
      readonly key: string;
      readonly status: number;
      readonly text: string;
      readonly replayed: boolean;
    }
  /** A client read the session as paid. */
  | { readonly is: 'paid_seen'; readonly n: number; readonly sessionId: string }
  /** A client gave up on it. */
  | { readonly is: 'stuck'; readonly n: number; readonly why: string }
  | {
      readonly is: 'life';
      readonly ends: string;
      readonly counted: boolean;
      readonly inFlight: number;
      readonly downMs: number;
    }
  | Sample
  /** A webhook arrived. */
  | {
      readonly is: 'webhook';
      readonly id: string;
      readonly type: string;
      readonly objectId: string;
      readonly hash: string;
    }
  /** After the last restart: the same key and body once more. */
  | { readonly is: 'asked_again'; readonly n: number; readonly status: number; readonly text: string }
  | {
      readonly is: 'session';
      readonly id: string;
      readonly status: string;
      readonly paymentId: string | null;
      readonly referenceId: string | null;
    }
  | {
      readonly is: 'payment';
      readonly id: string;
      readonly sessionId: string;
      readonly status: string;
      readonly why: string | null;
    }
  /** payment.succeeded in GET /v1/events; the hash is of its bytes. */
  | {
      readonly is: 'event';
      readonly id: string;
      readonly objectId: string;
      readonly sessionId: string;
      readonly hash: string;
    }
  /** The simulated provider's own book. */
  | { readonly is: 'charge'; readonly reference: string; readonly sessionId: string; readonly state: string };

export class History {
  readonly entries: Entry[] = [];
  private readonly file: string | null;

  /** `file` null keeps it in memory alone. */
  constructor(file: string | null) {
    this.file = file;
    if (file !== null) writeFileSync(file, '');
  }

  add(entry: Entry): void {
    this.entries.push(entry);
    if (this.file !== null) appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }
}

export const readHistory = (file: string): readonly Entry[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
