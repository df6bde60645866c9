/** Documents of schema 9, in which a payment had one leg in its own fields, as that build has written them: every later
 *  build must read them and go on. They stay as they are. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { continued, futureOf, rowsOf, type StoredSession } from './stored.ts';

const actor: AnyActor = checkoutSession;
const path = new URL('stored-v9.json', import.meta.url);
const stored = JSON.parse(readFileSync(path, 'utf8')) as readonly StoredSession[];

describe.each(stored)('a checkout session stored in schema 9: $what', (one) => {
  test('shows what it showed, byte for byte', () => {
    const story = continued(one);
    expect(JSON.stringify(story.view)).toBe(JSON.stringify(one.view));
    expect(JSON.stringify(rowsOf(story))).toBe(JSON.stringify(one.rows));
  });

  test('goes on as it would have', () => {
    expect(futureOf(one)).toEqual(one.future);
  });

  test('is written in that schema as it was, for the nodes that know no newer one', () => {
    const { body } = continued(one).doc ?? { body: null };
    expect(lowered(actor, body as never, 9)).toEqual(one.doc.body);
  });
});
