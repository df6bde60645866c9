/** Interrupts the steps of a simulated buyer, one at a time: pages that do not answer, actors that cannot be asked,
 *  reads the store is silent to; his own steps, and those of the pages he presses on. Everything else is the real
 *  thing, the look-ups too: they would open the provider's circuit.
 *  1. Steps are counted for each payment from the commit of its plan on. */
import type { PlayDeps } from '../../../gateways/simulator/doors.ts';
import type { Visited } from '../../../gateways/simulator/visitor.ts';
import { StoreUnresponsive } from '../../../gateways/http/route/reading.ts';

/** `before`: the step is not executed. `after`: it is executed, and its answer is lost. */
export type How = 'before' | 'after';

export interface Cut {
  readonly how: How;
  /** The first step that is cut, from 1, and how many are. */
  readonly step: number;
  readonly steps: number;
}

interface Count {
  readonly cut: Cut;
  promised: boolean;
  taken: number;
  made: number;
}

const isOfPage = (command: string, data: string): boolean =>
  ['open', 'pay', 'decline', 'cancel'].includes(command) || data.includes('"call":"return"');

export class Cutter {
  private readonly counts = new Map<string, Count>();

  /** Every id on a wire holds the payment's own. */
  cut(paymentId: string, cut: Cut): void {
    this.counts.set(paymentId.slice('pay_'.length), { cut, promised: false, taken: 0, made: 0 });
  }

  /** Everybody answers again. */
  heal(paymentId: string): void {
    this.counts.delete(paymentId.slice('pay_'.length));
  }

  /** Steps that were cut so far. */
  madeOf(paymentId: string): number {
    return this.counts.get(paymentId.slice('pay_'.length))?.made ?? 0;
  }

  around({ client, visitor, ...rest }: PlayDeps, who: 'buyer' | 'doors'): PlayDeps {
    const visit = (of: string, send: () => Promise<Visited>): Promise<Visited> =>
      this.step(of, send, () => ({ is: 'unanswered' }));
    return {
      ...rest,
      client: Object.assign(Object.create(client) as typeof client, {
        ask: (async (to, command, data, asking) => {
          const of = `${to.id} ${JSON.stringify(data)}`;
          const send = () => client.ask(to, command, data, asking);
          if (who === 'buyer' || isOfPage(command, of)) return this.step(of, send, () => ({ is: 'unknown' }));
          const result = await send();
          if (command === 'plan' && result.is === 'ok') this.promised(of);
          return result;
        }) satisfies typeof client.ask,
        read: ((to, scope) => {
          if (who === 'doors') return client.read(to, scope);
          const silent = (): never => {
            throw new StoreUnresponsive('cut');
          };
          return this.step(to.id, async () => client.read(to, scope), silent);
        }) satisfies typeof client.read,
      }),
      visitor: {
        get: (url) => visit(url, () => visitor.get(url)),
        post: (url, form) => visit(`${url} ${JSON.stringify(form)}`, () => visitor.post(url, form)),
        call: (url, body, headers) => visit(`${url} ${body}`, () => visitor.call(url, body, headers)),
      },
    };
  }

  private countOf(text: string): Count | undefined {
    for (const [id, count] of this.counts) if (text.includes(id)) return count;
    return undefined;
  }

  private promised(text: string): void {
    const count = this.countOf(text);
    if (count !== undefined) count.promised = true;
  }

  private async step<Answer>(of: string, send: () => Promise<Answer>, lost: () => Answer): Promise<Answer> {
    const count = this.countOf(of);
    if (count?.promised !== true) return send();
    const { step, steps, how } = count.cut;
    count.taken++;
    if (count.taken < step || count.taken >= step + steps) return send();
    count.made++;
    if (how === 'after') await send();
    return lost();
  }
}
