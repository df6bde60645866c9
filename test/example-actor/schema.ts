/** The Hold object. */
import { shown } from '../../gateways/http/route/description.ts';
import { integer, object, oneOf, text, time } from '../../gateways/http/schemas/parts.ts';

export const hold = shown(
  object('Hold', 'One item kept for one buyer for a while.', {
    id: text('Id of the hold, `hld_...`.'),
    item: text('What is kept.'),
    status: oneOf(['held', 'bought', 'lapsed'], '`lapsed`: its time is over.'),
    until: time('Until when it is kept.'),
    sequence: integer('Grows by one with each change.'),
  }),
  {
    id: 'hld_wfr9z72rnbh2bzj55vtw6d93',
    item: 'Kettle',
    status: 'held',
    until: '2026-11-21T15:43:10.858Z',
    sequence: 1,
  },
);
