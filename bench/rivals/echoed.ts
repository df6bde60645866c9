/** Where the raw rival of a remote ask is reached, and what it answers: texts as long as an actor's. */
import { resultText } from '../../src/bus/codec.ts';

export const rawSubjects = { plain: 'raw.plain.checkout_session.', stored: 'raw.stored' } as const;

export const echoes = {
  plain: resultText({ is: 'ok', v: 2, detail: {} }),
  stored: resultText({ is: 'ok', v: 1, detail: {} }),
} as const;
