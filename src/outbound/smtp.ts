/** Hands e-mails over to a mail server (SMTP).
 *  Boundary: one message in, one result out. Never rejects: a failure is a result.
 *  1. The Message-ID is made from the message's id: a repeat is the same mail to whoever counts ids.
 *  2. Credentials are sent over TLS only, except to this machine.
 *  3. Nothing of a message is an address of a file or of another server: the library loads nothing. */
import { createTransport } from 'nodemailer';
import { isLoopback } from '../kernel/loopback.ts';
import { seconds, type DurationMs } from '../kernel/time.ts';

export interface Mail {
  /** Unique; the same for every try. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type MailResult =
  | { readonly is: 'accepted'; readonly reply: string }
  /** Refused for good: trying again would not help. */
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string };

export interface Mailer {
  send(mail: Mail): Promise<MailResult>;
  /** Connects, logs in, and sends nothing: why that failed; null: it did not. */
  refusal(): Promise<string | null>;
}

export interface MailerOptions {
  /** `smtp://` or `smtps://`. */
  readonly url: string;
  readonly from: { readonly name: string; readonly address: string };
}

/** Each of these waits is shorter than the run of an effect. */
const connectMsMax: DurationMs = seconds(10);
const silentMsMax: DurationMs = seconds(20);
const reasonCharactersMax = 200;

export function openMailer({ url, from }: MailerOptions): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    host,
    secure,
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { auth }),
    requireTLS: !secure && username !== '' && !isLoopback(host),
    connectionTimeout: connectMsMax,
    greetingTimeout: connectMsMax,
    dnsTimeout: connectMsMax,
    socketTimeout: silentMsMax,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    async send({ id, to, subject, text, html }) {
      try {
        const sent = await transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from: { ...from },
          // as an object it is one address, whatever is written in it
          to: { name: '', address: to },
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        });
        return { is: 'accepted', reply: oneLine(sent.response) };
      } catch (thrown) {
        return failureOf(thrown);
      }
    },
    async refusal() {
      try {
        await transport.verify();
        return null;
      } catch (thrown) {
        return failureOf(thrown).reason;
      }
    },
  };
}

const shown: { readonly [code: string]: string } = {
  ECONNECTION: 'no connection to the mail server',
  ESOCKET: 'no connection to the mail server',
  ETIMEDOUT: 'the mail server did not answer in time',
  EDNS: 'the name of the mail server was not found',
  ETLS: 'no TLS with the mail server',
  EAUTH: 'the mail server does not accept our user and password',
};

function failureOf(thrown: unknown): Exclude<MailResult, { is: 'accepted' }> {
  const { code, responseCode, response, message } = thrown as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly response?: string;
    readonly message?: string;
  };
  const reason = shown[code ?? ''] ?? oneLine(response ?? message ?? 'failed');
  // a wrong password is the operator's to correct, and the mail can be sent then
  const forGood = code !== 'EAUTH' && responseCode !== undefined && responseCode >= 500;
  return { is: forGood ? 'refused' : 'failed', reason };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, reasonCharactersMax);
