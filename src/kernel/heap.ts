/** A binary heap: the first of its things is found at once, adding and removing cost the logarithm of their number. */
export class Heap<Thing> {
  private readonly isSooner: (one: Thing, other: Thing) => boolean;
  private readonly things: Thing[] = [];

  /** Of things of which neither is sooner, any may be first. */
  constructor(isSooner: (one: Thing, other: Thing) => boolean) {
    this.isSooner = isSooner;
  }

  get size(): number {
    return this.things.length;
  }

  get first(): Thing | undefined {
    return this.things[0];
  }

  push(thing: Thing): void {
    const { things } = this;
    let at = things.push(thing) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isSooner(things[at]!, things[parent]!)) break;
      [things[parent], things[at]] = [things[at]!, things[parent]!];
      at = parent;
    }
  }

  /** Removes the first; undefined when there is none. */
  pop(): Thing | undefined {
    const { things } = this;
    const first = things[0];
    const last = things.pop();
    if (last === undefined || things.length === 0) return first;
    things[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < things.length && this.isSooner(things[left]!, things[least]!)) least = left;
      if (right < things.length && this.isSooner(things[right]!, things[least]!)) least = right;
      if (least === at) return first;
      [things[at], things[least]] = [things[least]!, things[at]!];
      at = least;
    }
  }

  /** Removes all of them, in any order. */
  takeAll(): readonly Thing[] {
    return this.things.splice(0);
  }
}
