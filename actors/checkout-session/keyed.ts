/** A session that a request with an Idempotency-Key creates is itself the record of that key, in one commit
 *  (docs/decisions/0039).
 *  K1. While the key lives, a request with the same body gets the bytes of the first answer, and one with another
 *      body is refused. Neither changes anything.
 *  K2. The end of the key's life is written by the commit that creates the session, on the project's clock.
 *  K3. After the life the next session has the next number. The first session holds the number, and commits it
 *      before the session of that number is created. Numbers only rise. After a restore a key that does not live begins
 *      again, with the first number of its era. */
import {
  eraStep,
  type Turn,
  type Verdict,
  type ViewMeta,
  type ViewRow,
} from '../../src/runtime/model/actor.ts';
import { lifeMs } from '../idempotency-key/messages.ts';
import type { KeyedAnswer, SessionCommands } from './commands.ts';
import { opened } from './start.ts';
import type { CheckoutSession, KeyUse, SessionState } from './state.ts';
import { transition } from './transition.ts';
import { sessionView } from './view.ts';

type X = Turn<CheckoutSession>;
type Open = SessionCommands['openKeyed'];

/** The collection of first answers: they are needed for as long as the key lives. */
export const answerRowKind = 'keyed_answer';

/** A first answer as it is stored. */
export interface KeptAnswer {
  readonly id: string;
  /** The session as JSON, in the API's version `written`. */
  readonly text: string;
  readonly written: string;
  /** The API's version that the client was answered in. */
  readonly version: string;
}

export function openKeyed(command: Open, x: X): Verdict {
  const { hash, tag, generation, request, written, version } = command.key;
  const use: KeyUse = { hash, tag, generation, request, written, version, endsAt: x.now + lifeMs };
  return transition(
    x,
    null,
    { ...opened(command, x), keyed: use },
    { cause: 'open', answer: answerOf('created') },
  );
}

/** The session is there already. */
export function openKeyedAgain(session: SessionState, { key }: Open, x: X): Verdict {
  const { keyed } = session;
  // its id is derived from a key, so a keyed request created it
  if (keyed === undefined) return x.refuse('invalid_state');
  const { latest = keyed.generation } = keyed;
  if (x.now < keyed.endsAt && latest === keyed.generation) {
    if (keyed.hash !== key.hash) return x.ok(answerOf('reused'));
    return x.ok(answerOf(keyed.request === key.request ? 'created' : 'replay'));
  }
  if (!isFirst(keyed.generation)) return x.ok(answerOf('over'));
  const ended = Math.max(keyed.generation, key.ended);
  if (latest > ended) return x.ok({ is: 'next', generation: latest });
  const { status, ...rest } = session;
  const next = { is: 'next', generation: ended + 1 } as const satisfies KeyedAnswer;
  return x.become(status, { ...rest, keyed: { ...keyed, latest: next.generation } }).answer(next);
}

/** Of the keys of an era: numbers of one era never meet those of another. */
export const firstGenerationIn = (era: number): number => era * eraStep + 1;

const isFirst = (generation: number): boolean => generation % eraStep === 1;

const answerOf = (is: 'created' | 'replay' | 'reused' | 'over'): { readonly is: typeof is } => ({ is });

/** The answer to the request that created the session. It is written with the session and stays as it was. */
export function answerRows(session: SessionState, meta: ViewMeta): readonly ViewRow[] {
  const { keyed } = session;
  if (keyed === undefined || session.sequence > 1) return [];
  return [
    {
      kind: answerRowKind,
      id: meta.id,
      sequence: 1,
      createdAt: session.createdAt,
      tags: [],
      lasting: true,
      // built only when it is written
      get body(): KeptAnswer {
        const { written, version } = keyed;
        return { id: meta.id, text: JSON.stringify(sessionView(session, meta)), written, version };
      },
    },
  ];
}
