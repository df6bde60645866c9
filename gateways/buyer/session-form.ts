/** Forms that open a session: of a payment link, of an invoice. Each page carries the id of the session that its
 *  form would open, so a form submitted twice opens one. */
import { Backoff } from '../../src/kernel/backoff.ts';
import { couldBeId, mintId } from '../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import { sessionWithPage } from '../http/page-sessions.ts';
import type { DoorReply } from '../server/door.ts';
import { formTokenOf, isFormToken } from './form-token.ts';
import type { BuyerParts } from './parts.ts';
import { seeOther } from './replies.ts';

/** What many buyers want at once answers some of them after a moment. */
const askWaitMs: DurationMs = seconds(8);
const [retryMsMin, retryMsMax] = [50, 1000];

export interface SessionForm {
  /** The session that the form opens. */
  readonly session: string;
  readonly token: string;
}

/** `about`: what is paid for. */
export function newSessionForm({ formKey }: Pick<BuyerParts, 'formKey'>, about: string): SessionForm {
  const session = mintId('cs');
  return { session, token: formTokenOf(formKey, signedText(about, session)) };
}

/** The session that a form of ours, about the same, opens; null: it is no such form. */
export function sessionOfForm(
  { formKey }: Pick<BuyerParts, 'formKey'>,
  about: string,
  fields: URLSearchParams,
): string | null {
  const session = fields.get('session') ?? '';
  const isOurs =
    couldBeId('cs', session) && isFormToken(formKey, signedText(about, session), fields.get('token'));
  return isOurs ? session : null;
}

const signedText = (about: string, session: string): string => `${about} ${session}`;

/** A form that was submitted before: on to its session; after an unpaid end, back to `path` for a new form. null: its
 *  session is not there. */
export async function openedBefore(
  { client }: Pick<BuyerParts, 'client'>,
  session: string,
  path: string,
): Promise<DoorReply | null> {
  const found = await sessionWithPage(client, session);
  if (found === null) return null;
  const isOver = 'endedAt' in found.state && found.state.status !== 'success';
  return seeOther(isOver ? path : `/pay/${session}`);
}

/** Until it was executed, or the buyer has waited long enough. */
export async function askedAgain<Answer>(
  { scheduler }: Pick<BuyerParts, 'scheduler'>,
  ask: () => Promise<AskResult<Answer>>,
): Promise<AskResult<Answer>> {
  const until = scheduler.now() + askWaitMs;
  for (const backoff = new Backoff(scheduler, retryMsMin, retryMsMax); ; await backoff.wait()) {
    const answer = await ask();
    if (answer.is !== 'not_executed' || scheduler.now() >= until) return answer;
  }
}
