/** An event that a merchant made up. */
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { shown } from '../route/description.ts';
import { anyObject, flag, integer, object, text, time } from './parts.ts';

export const testEvent = shown(
  object('TestEvent', 'An event that you made up, as it is stored and delivered.', {
    id: text('Id of the event, `evt_...`: the same each time it is sent.'),
    type: text('Its type, as you asked.'),
    created: integer('When you made it up, in seconds since 1970.'),
    timestamp: time('When you made it up.'),
    livemode: flag('Always false.'),
    apiVersion: text('The version of the API it is written in.'),
    sequence: integer('The `sequence` of its data.'),
    test: flag('Always true: it is made up.'),
    data: anyObject('A sample of the type, with your fields.'),
  }),
  {
    id: 'evt_3n7pyr93gtnfjwsx64c6mmma',
    type: 'test.ping',
    created: 1_795_166_200,
    timestamp: '2026-11-20T09:16:40.000Z',
    livemode: false,
    apiVersion,
    sequence: 1,
    test: true,
    data: { message: 'ping' },
  },
);
