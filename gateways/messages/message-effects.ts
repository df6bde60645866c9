/** Runs the effect `message.send`: writes a message, and in live hands it over to the server that sends it.
 *  1. In sandbox nothing leaves.
 *  2. It may run again after a crash; the mail then has the same Message-ID, the SMS the same id. */
import type { CustomerState } from '../../actors/customer/messages.ts';
import type { MerchantState } from '../../actors/merchant/messages.ts';
import type {
  InvoiceNotice,
  MessageCommands,
  MessageEffects,
  Notice,
  Outcome,
  Written,
} from '../../actors/message/messages.ts';
import type { ProjectState } from '../../actors/project/messages.ts';
import { isPayable, type SubscriptionState } from '../../actors/subscription/state.ts';
import { assert } from '../../src/kernel/assert.ts';
import type { Mailer } from '../../src/outbound/smtp.ts';
import type { EffectContext } from '../../src/runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../../src/runtime/delivery/effects.ts';
import { isLive, projectOf, type Scope } from '../../src/runtime/model/address.ts';
import type { DocReader } from '../../src/runtime/model/upcast.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { SmsDoor } from './sms.ts';
import { invoiceMail } from './invoice-mail.ts';
import { written, type About } from './written.ts';

export interface MessageParts {
  readonly docs: Pick<DocReader, 'read'>;
  readonly log: Pick<Log, 'warn'>;
  readonly baseUrl: string;
  /** null: GALLA_SMTP_URL is not set. */
  readonly mailer: Mailer | null;
  /** null: GALLA_SMS_URL is not set. */
  readonly sms: SmsDoor | null;
}

/** Messages on their way at once, for each server (a lane of its own). */
const atOnce = 5;

export function messageEffects(parts: MessageParts): EffectRunners {
  const reported = new Set<string>();
  /** Once for each missing setting, not for each message. */
  const unset = (name: string): Outcome => {
    if (!reported.has(name)) parts.log.warn({ setting: name }, 'live messages are recorded as not sent');
    reported.add(name);
    return { is: 'not_sent', reason: `${name} is not set` };
  };
  const send = async (id: string, notice: Notice, { to, subject, text, html }: Written): Promise<Outcome> => {
    if (notice.channel === 'sms') {
      return parts.sms === null ? unset('GALLA_SMS_URL') : parts.sms.send({ id, to, text });
    }
    if (parts.mailer === null) return unset('GALLA_SMTP_URL');
    assert(subject !== null && html !== null, 'a mail has a subject and HTML');
    return parts.mailer.send({ id, to, subject, text, html });
  };
  const run = async (
    { messageId, notice }: MessageEffects['message.send'],
    { scope }: Pick<EffectContext, 'scope'>,
  ): Promise<MessageCommands['tried']> => {
    const [merchant, invoiced] = await Promise.all([
      merchantOf(parts, scope),
      notice.is === 'invoice' ? invoicedOf(parts, notice) : null,
    ]);
    if (notice.channel === 'sms' && merchant.plan !== 'premium') return { outcome: notInPlan };
    const livemode = isLive(scope);
    const about = { merchant, livemode, baseUrl: parts.baseUrl };
    const message =
      notice.is === 'invoice' ? mailOf(notice, invoiced ?? nobody, about) : written(notice, about);
    if ('is' in message) return { outcome: message };
    return {
      outcome: livemode ? await send(messageId, notice, message) : { is: 'captured', written: message },
    };
  };
  return { 'message.send': { run, atOnce } };
}

const notSent = (reason: string): Outcome => ({ is: 'not_sent', reason });

/** Of an invoice and its customer, what is stored now. */
interface Invoiced {
  readonly invoices: SubscriptionState['invoices'];
  readonly email: string | null;
}

const nobody: Invoiced = { invoices: [], email: null };

async function invoicedOf({ docs }: MessageParts, notice: InvoiceNotice): Promise<Invoiced> {
  const [subscription, customer] = await Promise.all([
    docs.read('subscription', notice.subscriptionId),
    docs.read('customer', notice.customerId),
  ]);
  // the bodies of these kinds
  const { invoices } = (subscription?.body ?? nobody) as unknown as Pick<SubscriptionState, 'invoices'>;
  const { email } = (customer?.body ?? nobody) as unknown as Pick<CustomerState, 'email'>;
  return { invoices, email };
}

/** The mail of an invoice, or why there is none: whoever has paid is asked for no money, also if the mail had to
 *  wait for its server. */
function mailOf(notice: InvoiceNotice, { invoices, email }: Invoiced, about: About): Written | Outcome {
  const invoice = invoices.find(({ id }) => id === notice.invoiceId);
  if (invoice === undefined || !isPayable(invoice)) return notSent('the invoice is paid or voided');
  return email === null ? notSent('the customer has no e-mail address') : invoiceMail(notice, email, about);
}

const notInPlan = notSent("SMS is not part of the merchant's plan");

async function merchantOf({ docs }: MessageParts, scope: Scope): Promise<MerchantState> {
  const project = (await docs.read('project', projectOf(scope)))?.body as unknown as ProjectState | undefined;
  assert(project !== undefined, 'a message has its project');
  const merchant = (await docs.read('merchant', project.merchantId))?.body as unknown as
    | MerchantState
    | undefined;
  assert(merchant !== undefined, 'a project has its merchant');
  return merchant;
}
