/** Closes what was opened, in reverse order. */
type Close = () => Promise<unknown>;

export class Closing {
  private readonly steps: Close[] = [];

  later(close: Close): void {
    this.steps.push(close);
  }

  /** One failed close does not prevent the others. */
  async all(): Promise<void> {
    for (const close of this.steps.splice(0).reverse()) await close().catch(() => undefined);
  }
}
