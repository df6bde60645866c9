/** The schemas every living node can read, as each node reports them: no document is written in a newer
 *  schema while a living node cannot read it. This knowledge is as old as the last read; a node that joins
 *  later hands over what it cannot read. */
import type { NodeRow } from '../../store/directory.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';

/** Kind -> newest schema. */
export type Schemas = { readonly [kind: string]: number };

export class SchemasRead {
  private readonly own: Schemas;
  private readonly log: RuntimeLog;
  private living: readonly Schemas[] = [];
  private behind = '{}';

  constructor(own: Schemas, log: RuntimeLog) {
    this.own = own;
    this.log = log;
  }

  /** The newest schema of a kind that all living nodes read; 0 when one of them does not know it. */
  byAll(kind: string): number {
    let least = Infinity;
    for (const schemas of this.living) least = Math.min(least, schemas[kind] ?? 0);
    return least;
  }

  /** Called with each read of the directory. */
  observe(nodes: readonly NodeRow[]): void {
    this.living = nodes.filter(({ state }) => state === 'live').map(({ info }) => info.schemas);
    const behind = Object.keys(this.own)
      .map((kind) => [kind, this.byAll(kind)] as const)
      .filter(([kind, read]) => read < (this.own[kind] ?? 0));
    this.say(JSON.stringify(Object.fromEntries(behind)));
  }

  private say(behind: string): void {
    if (behind === this.behind) return;
    this.behind = behind;
    const what =
      behind === '{}'
        ? 'every node reads what this version writes; documents are written in its own shape'
        : 'a node of an older version is alive: documents are written in its schema, and commands it cannot store wait';
    this.log.warn({ schemas: JSON.parse(behind) as Schemas }, what);
  }
}
