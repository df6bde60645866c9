/** What `galla doctor` finds about the servers of others that live payments and mail need. No money moves and nothing
 *  is sent: it connects, and leaves. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Settings } from '../../config.ts';
import { findingsOf, type Finding } from '../../kernel/finding.ts';
import { seconds, type DurationMs } from '../../kernel/time.ts';
import { openMailer } from '../../outbound/smtp.ts';
import { catalog, providerNames, type Provider } from '../../providers/catalog.ts';
import { liveCallsAt } from '../../providers/provider-calls.ts';

const connectMsMax: DurationMs = seconds(5);

export async function outsideFindings(settings: Settings): Promise<readonly Finding[]> {
  const [providers, messages] = await Promise.all([providerFindings(settings), mailFinding(settings)]);
  return [...providers, messages, smsFinding(settings)];
}

async function providerFindings(settings: Settings): Promise<readonly Finding[]> {
  const { warning } = findingsOf('providers');
  const unset = providerNames.filter((one) => liveCallsAt(settings, one) === null);
  const names = unset.map(
    (one) => `${one} (${[...new Set(Object.values(catalog[one].liveHost))].join(', ')})`,
  );
  const missing =
    unset.length === 0
      ? []
      : [warning(`without a live address, so that their live payments end in 502: ${names.join('; ')}`)];
  const set = providerNames.filter((one) => liveCallsAt(settings, one) !== null);
  return [
    ...missing,
    ...(await Promise.all(set.map((one) => addressFinding(one, liveCallsAt(settings, one) ?? '')))),
  ];
}

async function addressFinding(provider: Provider, address: string): Promise<Finding> {
  const { ok, warning } = findingsOf('providers');
  const { hostname, port, protocol } = new URL(address);
  const why = await connectProblem(
    hostname,
    Number(port) || (protocol === 'https:' ? 443 : 80),
    protocol === 'https:',
  );
  return why === null
    ? ok(`${provider} can be reached at ${hostname}`)
    : warning(
        `${provider} cannot be reached at ${hostname} (${why}): is the address right, may this machine go there?`,
      );
}

/** null: a connection stands. */
function connectProblem(host: string, port: number, isTls: boolean): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = isTls ? connectTls({ host, port, servername: host }) : connect({ host, port });
    const end = (why: string | null): void => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(connectMsMax, () => end('no answer in time'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once(isTls ? 'secureConnect' : 'connect', () => end(null));
  });
}

async function mailFinding({ smtpUrl, mailFrom }: Settings): Promise<Finding> {
  const { ok, warning, problem } = findingsOf('mail');
  if (smtpUrl === null || mailFrom === null)
    return warning('live mail is recorded as not sent: set GALLA_SMTP_URL and GALLA_MAIL_FROM');
  const refusal = await openMailer({ url: smtpUrl, from: mailFrom }).refusal();
  return refusal === null
    ? ok('the mail server accepts us')
    : problem(`${refusal}: check GALLA_SMTP_URL; until then live mail is not sent`);
}

function smsFinding({ smsUrl }: Settings): Finding {
  const { ok, warning } = findingsOf('sms');
  return smsUrl === null
    ? warning('live SMS is recorded as not sent: set GALLA_SMS_URL and GALLA_SMS_SECRET')
    : ok(`live SMS goes to ${new URL(smsUrl).host}`);
}
