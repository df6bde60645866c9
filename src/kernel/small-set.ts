/** A small set, stored as an array. An empty Set takes 200 bytes, and each actor in memory would have half
 *  a dozen of them; up to a few dozen elements the array is also faster. */
export class SmallSet<Thing extends string | number> {
  private things: Thing[] = [];

  get size(): number {
    return this.things.length;
  }

  has(thing: Thing): boolean {
    return this.things.includes(thing);
  }

  add(thing: Thing): void {
    if (!this.things.includes(thing)) this.things.push(thing);
  }

  delete(thing: Thing): void {
    const at = this.things.indexOf(thing);
    if (at >= 0) this.things.splice(at, 1);
  }

  clear(): void {
    this.things.length = 0;
  }

  /** Keeps the elements for which `keep` returns true. */
  keep(keep: (thing: Thing) => boolean): void {
    if (this.things.length > 0) this.things = this.things.filter(keep);
  }
}
