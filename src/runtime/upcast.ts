/** Lifts a stored document to the shape this build knows (engine 2: upcast on read), wherever it was read. */
import type { Doc } from '../store/store.ts';
import type { AnyActor } from './actor.ts';

/** A document of a schema this build cannot read. */
export class SchemaUnknown extends Error {
  override readonly name = 'SchemaUnknown';
}

/** The document with its body in this build's shape. Throws SchemaUnknown for one from the future. */
export function upcasted(actor: AnyActor, doc: Doc): Doc {
  if (doc.body === null || doc.sv === actor.schema) return doc;
  if (doc.sv > actor.schema || actor.upcast === undefined)
    throw new SchemaUnknown(`schema ${doc.sv} of ${doc.kind} is not known here`);
  return { ...doc, body: actor.upcast(doc.body, doc.sv) as unknown as Doc['body'] };
}
