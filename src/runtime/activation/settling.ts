/** Takes `busy` away from documents whose `out` has been done, many with one command.
 *  1. One command is at the store at a time; what comes meanwhile forms the next. */
import { settleMax, type SettledDoc, type Store } from '../../store/store.ts';

interface Waiting {
  readonly doc: SettledDoc;
  readonly resolve: (settled: boolean) => void;
}

export class Settling {
  private readonly store: Pick<Store, 'settle'>;
  private queue: Waiting[] = [];
  private running = false;

  constructor(store: Pick<Store, 'settle'>) {
    this.store = store;
  }

  /** Whether the store has answered; otherwise the document is settled later, or by its next commit. */
  settle(doc: SettledDoc): Promise<boolean> {
    return new Promise((resolve) => {
      this.queue.push({ doc, resolve });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, settleMax);
      const settled = await this.store.settle(batch.map(({ doc }) => doc)).then(
        () => true,
        () => false,
      );
      for (const { resolve } of batch) resolve(settled);
    }
    this.running = false;
  }
}
