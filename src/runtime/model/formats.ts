/** Forms of what the runtime itself stores, beside the schemas of actors. A node of a cluster tells which it reads, and
 *  none is written while a living node cannot read it. */
export const formats = {
  /** 2: a row of the timeline may hold several notes (notes.ts). */
  timeline: 2,
  /** 2: a document that is not busy may hold rows in `out` that are done. */
  out: 2,
} as const satisfies { readonly [form: string]: number };

export type Format = keyof typeof formats;
