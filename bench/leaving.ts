/** What one create leaves in the database of a cluster, for a rival to leave the same. */
import type { Api } from '../src/cli/demo/api.ts';
import { eventually } from '../test/support/eventually.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import type { Doc, Row } from '../src/store/store.ts';
import { collections } from './filling.ts';
import { order } from './service.ts';

/** A project that has made nothing else has fewer. */
const entriesMax = 100;

/** A session that has its event still to send, and that event's entry in the journal. */
export interface Template {
  readonly session: Doc;
  readonly entry: Row;
}

/** Makes a session through the API and reads both; throws when it was cleared meanwhile. */
export async function leftBy(api: Api, url: string): Promise<Template> {
  const { body } = await api.must('POST', '/v1/checkout', order);
  const store = await openMongoStore({ url, collections, onWarning: () => undefined });
  try {
    const session = await store.read('checkout_session', body.text('id'));
    if (session === null || session.out.length === 0)
      throw new Error('the session to copy was cleared too soon');
    const entry = await eventually(
      async () => {
        const entries = await store.journalAfter(session.scope, 0, entriesMax);
        return entries.find(({ id }) => id.includes(session.id)) ?? null;
      },
      () => `the event of ${session.id} in the journal`,
    );
    return { session, entry };
  } finally {
    await store.close();
  }
}
