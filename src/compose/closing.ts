/** What was opened and is to be closed, the last one first. */
type Close = () => Promise<unknown>;

export class Closing {
  private readonly steps: Close[] = [];

  later(close: Close): void {
    this.steps.push(close);
  }

  /** One that cannot be closed keeps no other open. */
  async all(): Promise<void> {
    for (const close of this.steps.splice(0).reverse()) await close().catch(() => undefined);
  }
}
