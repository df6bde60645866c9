/** Upcast on read: converts a stored document to this build's shape. */
import { BrokenInvariant } from '../../kernel/assert.ts';
import type { Doc, Listed, ListQuery, Store } from '../../store/store.ts';
import type { AnyActor } from './actor.ts';

/** A document of a schema this build cannot read. */
export class SchemaUnknown extends Error {
  override readonly name = 'SchemaUnknown';
}

/** The document with its body in this build's shape. Throws SchemaUnknown for a newer schema. */
export function upcasted(actor: AnyActor, doc: Doc): Doc {
  if (doc.body === null || doc.sv === actor.schema) return doc;
  if (doc.sv > actor.schema)
    throw new SchemaUnknown(
      `${doc.kind}/${doc.id} was written by a newer version of this service: schema ${doc.sv} is not known here`,
    );
  if (actor.upcast === undefined)
    throw new SchemaUnknown(`schema ${doc.sv} of ${doc.kind}/${doc.id} is not known here`);
  return { ...doc, body: actor.upcast(doc.body, doc.sv) as unknown as Doc['body'] };
}

/** The documents of a list that this build can read. A list shows what it can read; a single read reports
 *  what it cannot. */
export const readableOnes = (actor: AnyActor, docs: readonly Doc[]): readonly Doc[] =>
  docs.flatMap((doc) => {
    try {
      return [upcasted(actor, doc)];
    } catch (thrown) {
      if (thrown instanceof SchemaUnknown) return [];
      throw thrown;
    }
  });

/** Document reads for components that act on them outside of actors: always in this build's shape. Rejects
 *  with SchemaUnknown rather than omit a document that a newer build has written. */
export class DocReader {
  private readonly store: Pick<Store, 'read' | 'listDocs'>;
  private readonly kinds: ReadonlyMap<string, AnyActor>;

  /** Reads documents of these actors only. */
  constructor(store: Pick<Store, 'read' | 'listDocs'>, actors: readonly AnyActor[]) {
    this.store = store;
    this.kinds = new Map(actors.map((actor) => [actor.kind, actor]));
  }

  async read(kind: string, id: string): Promise<Doc | null> {
    const doc = await this.store.read(kind, id);
    return doc === null ? null : upcasted(this.actorOf(kind), doc);
  }

  async list(query: ListQuery): Promise<Listed<Doc>> {
    const { items, total } = await this.store.listDocs(query);
    return { items: items.map((doc) => upcasted(this.actorOf(query.kind), doc)), total };
  }

  private actorOf(kind: string): AnyActor {
    const actor = this.kinds.get(kind);
    if (actor === undefined) throw new BrokenInvariant(`documents of ${kind} are read here`);
    return actor;
  }
}
