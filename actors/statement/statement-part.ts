/** A part of the text of a statement, kept until the statement has been compared. */
import { actor } from '../../src/runtime/model/actor.ts';
import type { StatementPartTypes } from './messages.ts';

export const statementPart = actor<StatementPartTypes>('statement_part', 'rsp', {
  schema: 1,
  on: {
    put: {
      by: 'merchant',
      creates: ({ text }, x) => x.become('kept', { text }),
      _any: (_s, _c, x) => x.ok(),
    },
    remove: { by: 'system', _any: (_s, _c, x) => x.delete() },
  },
  effects: {},
  timers: {},
  view: (_s, { id }) => ({ id }),
});
