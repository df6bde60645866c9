/** What happened to subscriptions while a test clock walked: events and mails, with their own times.
 *  The sandbox keeps events for 90 days and mails for 30: they are noted down at each stop. */
import { kathmandu, localOf, type Billing } from './billing.ts';

/** A call is made so soon after the clock has stopped. */
const callMsMax = 120_000;

interface Entry {
  readonly at: string;
  readonly subscriptionId: string;
  readonly is: 'event' | 'mail';
  readonly what: string;
  /** The local due time of the invoice it is about. */
  readonly due: string | null;
}

export class Diary {
  private readonly billing: Billing;
  private readonly known = new Set<string>();
  private readonly entries: Entry[] = [];
  /** Due times and subscriptions by invoice. */
  private readonly invoices = new Map<string, { readonly due: string; readonly subscriptionId: string }>();
  /** Where the clock stopped, in local time. */
  private readonly stops: string[] = [];

  constructor(billing: Billing) {
    this.billing = billing;
  }

  /** Moves the clock to a local time, and notes what has happened. */
  async until(local: string): Promise<void> {
    await this.billing.advance(local);
    this.stops.push(local);
    await this.note();
  }

  /** Notes what is new. */
  async note(): Promise<void> {
    for (const event of await this.billing.events()) {
      if (this.isKnown(event.text('id'))) continue;
      const [at, what, id] = [event.text('timestamp'), event.text('type'), event.text('data.id')];
      if (!what.startsWith('invoice.')) {
        this.entries.push({ at, subscriptionId: id, is: 'event', what, due: null });
        continue;
      }
      const [due, subscriptionId] = [
        this.timeOf(event.text('data.dueAt')),
        event.text('data.subscriptionId'),
      ];
      this.invoices.set(id, { due, subscriptionId });
      const attempt = event.at('data.reminder.attemptNumber');
      const told = attempt === undefined ? what : `${what} ${Number(attempt)}`;
      this.entries.push({ at, subscriptionId, is: 'event', what: told, due });
    }
    for (const mail of await this.billing.messages()) {
      const about = this.invoices.get(String(mail.at('invoiceId')));
      if (about === undefined || this.isKnown(mail.text('id'))) continue;
      const what = mail.text('subject').split(' /')[0] ?? '';
      this.entries.push({ at: mail.text('createdAt'), is: 'mail', what, ...about });
    }
  }

  /** What happened to a subscription between two local times, the second excluded:
   *  `2027-02-25 invoice.created of 2027-02-28`. An exact moment is shown as such, the moment of a call as the stop
   *  at which it was made, followed by `+`. */
  of(is: Entry['is'], subscriptionId: string, from = '', to = '~'): readonly string[] {
    return this.entries
      .filter((entry) => entry.is === is && entry.subscriptionId === subscriptionId)
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
      .map(({ at, what, due }) => ({ time: this.timeOf(at), what, due }))
      .filter(({ time }) => time >= from && time < to)
      .map(({ time, what, due }) => [time, what, ...(due === null ? [] : [`of ${due}`])].join(' '));
  }

  /** A local time: of a step to the millisecond, of a call as its stop. */
  timeOf(iso: string): string {
    const at = Date.parse(iso);
    const stop = this.stops.findLast((local) => {
      const since = at - Date.parse(kathmandu(local));
      return since > 0 && since < callMsMax;
    });
    return stop === undefined ? localOf(iso) : `${stop}+`;
  }

  private isKnown(id: string): boolean {
    const known = this.known.has(id);
    this.known.add(id);
    return known;
  }
}
