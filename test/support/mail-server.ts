/** A real mail server on this machine that keeps what it is given. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Head and body as they were sent. */
  readonly raw: string;
}

export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Refuses the next recipients with this code. */
  refusing: number | null = null;
  readonly port: number;
  private readonly server: SMTPServer;

  private constructor(server: SMTPServer, port: number) {
    this.server = server;
    this.port = port;
  }

  /** `user`, with the password `open sesame`; null: no log-in is asked for. */
  static async open(user: string | null = null): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      logger: false,
      disabledCommands: user === null ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
      allowInsecureAuth: true,
      authOptional: user === null,
      onAuth({ username, password }, _session, done) {
        if (username === user && password === 'open sesame') done(null, { user: username });
        else done(new Error('Wrong password'));
      },
      onRcptTo(_address, _session, done) {
        if (mail.refusing === null) done();
        else done(Object.assign(new Error('Not now'), { responseCode: mail.refusing }));
      },
      onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
        const from = mailFrom === false ? '' : mailFrom.address;
        let raw = '';
        stream.setEncoding('utf8');
        stream.on('data', (piece: string) => (raw += piece));
        stream.on('end', () => {
          mail.received.push({ from, to: rcptTo.map(({ address }) => address), raw });
          done(null, 'kept as 1');
        });
      },
    });
    server.on('error', () => undefined);
    const listening = server.listen(0, '127.0.0.1');
    if (!listening.listening) await once(listening, 'listening');
    const mail = new MailServer(server, (listening.address() as AddressInfo).port);
    return mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }
}

/** The value of a header of a mail, unfolded; null when there is none. */
export function headerOf({ raw }: ReceivedMail, name: string): string | null {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? null;
}
