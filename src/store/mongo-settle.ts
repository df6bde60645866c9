/** Takes `busy` away from documents whose `out` has been done, without rewriting them.
 *  Boundary: one command per kind.
 *  1. The filter names the version: of a document that was written again nothing changes, however late this lands. */
import { assert } from '../kernel/assert.ts';
import { sendWrite, type Line } from './mongo-command.ts';
import { settleMax, type Store } from './store.ts';

export const createSettle =
  (line: Line): Store['settle'] =>
  async (docs) => {
    assert(docs.length <= settleMax, `at most ${settleMax} documents are settled at once`);
    const kinds = [...new Set(docs.map(({ kind }) => kind))];
    await Promise.all(
      kinds.map(async (kind) => {
        const reply = await sendWrite(line, {
          update: kind,
          updates: docs
            .filter((doc) => doc.kind === kind)
            .map(({ id, v }) => ({ q: { _id: id, v }, u: { $unset: { busy: 1 } } })),
          ordered: false,
        });
        if (reply.is !== 'answered' || reply.faults.length > 0)
          throw new Error(`documents of kind ${kind} could not be settled`);
      }),
    );
  };
