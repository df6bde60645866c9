/** Hands SMS over to the operator's HTTP endpoint (GALLA_SMS_URL): `{to, text, id}` as JSON, signed as webhooks
 *  are. The endpoint knows a repeat by its id. */
import type { Outcome } from '../../actors/message/messages.ts';
import { signatureHeaders } from '../../actors/webhook-endpoint/signature.ts';
import { seconds, type Scheduler } from '../../src/kernel/time.ts';
import type { Http } from '../../src/outbound/http.ts';

export interface Sms {
  readonly id: string;
  readonly to: string;
  readonly text: string;
}

export interface SmsDoor {
  send(sms: Sms): Promise<Outcome>;
}

export interface SmsDoorParts {
  readonly http: Http;
  readonly url: string;
  /** `whsec_...`. */
  readonly secret: string;
  /** Real time. */
  readonly scheduler: Pick<Scheduler, 'now'>;
}

const timeoutMs = seconds(15);
const answerBytesMax = 2048;
/** Refusals that may be others later. */
const temporary: readonly number[] = [401, 403, 404, 408, 425, 429];

export const openSmsDoor = ({ http, url, secret, scheduler }: SmsDoorParts): SmsDoor => ({
  async send({ id, to, text }) {
    const body = JSON.stringify({ to, text, id });
    const timestamp = Math.floor(scheduler.now() / 1000);
    const headers = {
      'Content-Type': 'application/json',
      ...signatureHeaders({ eventId: id, timestamp, body, secrets: [secret] }),
    };
    const answer = await http.send({ method: 'POST', url, headers, body, timeoutMs, answerBytesMax });
    if (answer.is === 'unanswered') return { is: 'failed', reason: answer.reason };
    const { status } = answer;
    if (status >= 200 && status < 300) return { is: 'accepted', reply: String(status) };
    const reason = `the SMS endpoint answered ${status}`;
    return { is: status < 500 && !temporary.includes(status) ? 'refused' : 'failed', reason };
  },
});
