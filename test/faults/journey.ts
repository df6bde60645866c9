/** One checkout through a service that keeps dying: a merchant who repeats with a key until there is an answer, and a
 *  buyer who reloads, goes back to his link and presses the button that is there, as people do.
 *  1. The buyer pays at the provider only where its page offers Pay; after that he waits and never starts anew.
 *  2. Where the stage `simulates`, every other checkout has no buyer: the merchant asks for an outcome until that is
 *     answered, and never again. */
import { Api } from '../../src/cli/demo/api.ts';
import { open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Button } from '../../src/cli/demo/html-page.ts';
import { testBuyer } from '../../src/cli/demo/paid.ts';
import type { History } from './history.ts';
import { pause, type Line } from './line.ts';

export interface Stage {
  readonly api: Api;
  readonly line: Line;
  readonly history: History;
  readonly shopUrl: string;
  readonly seed: number;
  /** Every other checkout is paid through `simulate`. */
  readonly simulates: boolean;
}

export interface Order {
  readonly key: string;
  readonly body: {
    readonly amount: number;
    readonly returnUrl: string;
    readonly referenceId: string;
    readonly metadata: object;
  };
}

export const orderOf = ({ seed, shopUrl }: Stage, n: number): Order => ({
  key: `faults-${seed}-${n}`,
  body: {
    amount: 10_000 + (n % 5000),
    returnUrl: `${shopUrl}/return`,
    referenceId: `F-${n}`,
    metadata: { order_id: `F-${n}` },
  },
});

/** A server of the cluster may be away for 60 s of it. */
const journeyMsMax = 180_000;
const waitMs = 100;
/** After a start that failed; twice as long after each further one. Five are the end of a session, and a provider may
 *  be out of reach for longer than five starts in a row take. */
const failedStartMs = 2000;
/** Those that end as success without waiting for trouble to pass. */
const outcomes = ['success', 'duplicate_callback', 'lost_redirect'] as const;

export async function journey(stage: Stage, n: number): Promise<void> {
  const { api, line, history } = stage;
  const outcome = stage.simulates && n % 2 === 0 ? outcomes[(n / 2) % outcomes.length] : undefined;
  const how = outcome === undefined ? '' : ` (simulated: ${outcome})`;
  try {
    const created = await create(stage, n);
    const buyer = new Buyer(line, created.checkoutUrl);
    if (outcome !== undefined) await simulate(stage, created.id, outcome);
    const until = Date.now() + journeyMsMax;
    for (let status = ''; status !== 'success';) {
      if (Date.now() > until)
        throw new Error(`not paid after ${journeyMsMax} ms, the session is ${status}${how}`);
      if (outcome !== undefined) await pause(status === '' ? 0 : waitMs);
      else if (status === 'pending' || status === 'initiated') await buyer.step(status);
      status = await line.surely('read a session', async () => {
        const answer = await api.get(`/v1/checkout/${created.id}`);
        return answer.status === 200 ? answer.body.text('status') : unless5xx(answer.status, answer.text);
      });
      if (['failed', 'cancelled', 'expired'].includes(status))
        throw new Error(`the session ended as ${status}${how}`);
    }
    history.add({ is: 'paid_seen', n, sessionId: created.id });
  } catch (failure) {
    history.add({ is: 'stuck', n, why: failure instanceof Error ? failure.message : String(failure) });
  }
}

/** What `Line.surely` is told that this is. */
export const creating = 'create a checkout';

/** Repeats with its key until there is an answer. */
export function create(
  { api, line, history, ...stage }: Stage,
  n: number,
): Promise<{ id: string; checkoutUrl: string }> {
  const { key, body } = orderOf({ api, line, history, ...stage }, n);
  return line.surely(creating, async () => {
    const answer = await api.post('/v1/checkout', body, { idempotencyKey: key });
    // still running: the one before was cut off, its work is being finished
    if (answer.status === 409 || answer.status >= 500)
      return unless5xx(answer.status === 409 ? 503 : answer.status, answer.text);
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    history.add({ is: 'created', n, key, status: answer.status, text: answer.text, replayed });
    if (answer.status !== 201) throw new Error(`create answered ${answer.status}`);
    return { id: answer.body.text('id'), checkoutUrl: answer.body.text('checkout_url') };
  });
}

/** Asks for an outcome until it is promised: a provider that does not answer (502), or that has failed the start (the
 *  session is still pending), has promised nothing. */
function simulate({ api, line }: Stage, id: string, outcome: string): Promise<true> {
  let failedStarts = 0;
  return line.surely('simulate a payment', async () => {
    const body = { outcome, provider: 'wallet_b' };
    const answer = await api.post(`/v1/test/checkout/${id}/simulate`, body);
    const isPromised = answer.status === 200 && answer.body.text('status') !== 'pending';
    if (isPromised) return true;
    if (answer.status !== 200 && answer.status !== 502) return unless5xx(answer.status, answer.text);
    await pause(failedStartMs * 2 ** failedStarts++);
    return null;
  });
}

/** 503 is tried again; any other status is the end of it. */
function unless5xx(status: number, text: string): null {
  if (status === 503) return null;
  throw new Error(`answered ${status}: ${text.slice(0, 200)}`);
}

const isWallets = ({ url }: Page): boolean => new URL(url).pathname.startsWith('/sim/');

class Buyer {
  private readonly line: Line;
  private readonly home: string;
  private page: Page | null = null;
  /** The provider's page, once opened: reloaded when the result of the button is unknown. */
  private wallet: string | null = null;
  private paid = false;
  private failedStarts = 0;

  constructor(line: Line, home: string) {
    this.line = line;
    this.home = home;
  }

  /** Reads the current page, or opens the last one again, and does the next step. */
  async step(status: string): Promise<void> {
    if (status === 'pending') this.paid = false;
    const page =
      this.page ?? (await this.load(() => open(this.paid ? this.home : (this.wallet ?? this.home))));
    this.page = null;
    if (page === null) return;
    const button = page.buttons.find(({ fields }) =>
      ['pay', 'login', 'leave'].includes(fields.get('do') ?? ''),
    );
    if (button !== undefined) await this.atProvider(page, button);
    else await this.atHome(page);
  }

  private async atProvider(page: Page, button: Button): Promise<void> {
    const act = button.fields.get('do');
    this.wallet = page.url;
    this.page = await this.load(() => press(button, act === 'login' ? testBuyer : {}));
    // an answer to Pay, or to Back to the shop, means that it is paid, and so does being sent back to our own page,
    // whatever that says; no answer means to look again
    this.paid = act !== 'login' && this.page !== null && (this.page.status < 400 || !isWallets(this.page));
    if (this.paid) this.page = null;
  }

  /** Our own page: he picks the wallet, or waits when he has paid. */
  private async atHome(page: Page): Promise<void> {
    this.wallet = null;
    const start = page.buttons.find(
      ({ fields, disabled }) => !disabled && fields.get('provider') === 'wallet_b',
    );
    if (start === undefined || this.paid) return pause(waitMs);
    this.page = await this.load(() => press(start));
    // he reads why it failed before he presses again
    if (this.page !== null && !isWallets(this.page)) await pause(failedStartMs * 2 ** this.failedStarts++);
  }

  /** The next page. If the connection is cut, the page is empty and is reloaded. */
  private async load(work: () => Promise<Page>): Promise<Page | null> {
    const page = await this.line.once(work);
    if (page === null || page.status !== 0 || !page.url.startsWith(new URL(this.home).origin)) return page;
    this.line.lost();
    return this.line.once(() => open(page.url));
  }
}
