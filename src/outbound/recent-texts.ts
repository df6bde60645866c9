/** The newest texts by their keys, as many as fit into a bound of characters; the oldest leave first. For texts that
 *  never change. */
export class RecentTexts {
  private readonly charsMax: number;
  /** The oldest first. */
  private readonly texts = new Map<string, string>();
  private chars = 0;

  constructor(charsMax: number) {
    this.charsMax = charsMax;
  }

  get(key: string): string | undefined {
    return this.texts.get(key);
  }

  add(key: string, text: string): void {
    if (this.texts.has(key) || text.length > this.charsMax) return;
    this.texts.set(key, text);
    this.chars += text.length;
    for (const [oldest, { length }] of this.texts) {
      if (this.chars <= this.charsMax) return;
      this.texts.delete(oldest);
      this.chars -= length;
    }
  }
}
