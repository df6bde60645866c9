/** One merchant of a running service, with a project and a test clock of its own, as tests use it. */
import { Api, type Answer, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { logIn } from '../../src/cli/demo/paid.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { eventually } from './eventually.ts';

export interface Fault {
  readonly provider?: string;
  readonly call: string;
  readonly kind: string;
  readonly reference?: string | null;
  readonly times?: number | null;
  readonly delayMs?: number;
  readonly value?: string | number | null;
}

const clockReadyMsMax = 60_000;

export class Merchant {
  readonly projectId: string;
  /** Sandbox, secret, full access. */
  readonly api: Api;
  /** Sandbox, publishable. */
  readonly publishable: Api;

  constructor(projectId: string, api: Api, publishable: Api) {
    this.projectId = projectId;
    this.api = api;
    this.publishable = publishable;
  }

  async checkout(fields: object = {}): Promise<Body> {
    const body = { amount: 125_050, returnUrl: 'http://127.0.0.1:9/return', ...fields };
    return (await this.api.must('POST', '/v1/checkout', body)).body;
  }

  async session(id: string): Promise<Body> {
    return (await this.api.must('GET', `/v1/checkout/${id}`)).body;
  }

  async payment(id: string): Promise<Body> {
    return (await this.api.must('GET', `/v1/payments/${id}`)).body;
  }

  /** The session once it is in this status. */
  untilStatus(id: string, status: string, waitMs?: number): Promise<Body> {
    return eventually(
      async () => {
        const session = await this.session(id);
        return session.at('status') === status ? session : null;
      },
      () => `session ${id} to be ${status}`,
      waitMs,
    );
  }

  simulate(id: string, outcome: string): Promise<Answer> {
    return this.api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome, provider: 'wallet_b' });
  }

  /** Every event of these kinds (comma list) there is now, oldest first, at most 100. */
  async events(type: string, objectId?: string): Promise<readonly Body[]> {
    const about = objectId === undefined ? '' : `&objectId=${objectId}`;
    const { body } = await this.api.must('GET', `/v1/events?limit=100&type=${type}${about}`);
    return body.list('data').toReversed();
  }

  /** The events of these kinds once there are `count`. */
  untilEvents(count: number, type: string, objectId?: string): Promise<readonly Body[]> {
    return eventually(
      async () => {
        const events = await this.events(type, objectId);
        return events.length >= count ? events : null;
      },
      () => `${count} of ${type}`,
    );
  }

  /** Registers a webhook endpoint at the shop. */
  async endpoint(
    shop: Shop,
    events: readonly string[] = ['*'],
    path = '/hooks',
  ): Promise<{ id: string; secret: string }> {
    const { body } = await this.api.must('POST', '/v1/webhooks', { url: `${shop.url}${path}`, events });
    return { id: body.text('id'), secret: body.text('signing_secret') };
  }

  /** Replaces all faults of this project's simulator. */
  async faults(faults: readonly Fault[]): Promise<void> {
    const whole = faults.map((fault) => ({
      provider: 'wallet_b',
      reference: null,
      times: null,
      delayMs: 0,
      value: null,
      ...fault,
    }));
    const answer = await this.api.send('PUT', '/sim/control/faults', { body: { faults: whole } });
    if (answer.status !== 200) throw new Error(`faults answered ${answer.status}: ${answer.text}`);
  }

  /** A command of the simulated provider's own table. */
  control(paymentId: string, command: string, body: object = {}): Promise<Answer> {
    return this.api.post(`/sim/control/payments/${paymentId.replace('_', '-')}/${command}`, body);
  }

  /** What the simulated provider knows of a payment: state and log. */
  async ledger(paymentId: string): Promise<Body | null> {
    const reference = paymentId.replace('_', '-');
    const { body } = await this.api.must(
      'GET',
      `/sim/control/payments?provider=wallet_b&reference=${reference}`,
    );
    return body.list('data')[0] ?? null;
  }

  async clock(): Promise<Body> {
    return (await this.api.must('GET', '/v1/test/clock')).body;
  }

  /** Moves the test clock by seconds, or to an instant (ISO text), and waits until all has fired; after the 25 s of the
   *  request itself at most `waitMs`. */
  async advance(by: number | string, waitMs = clockReadyMsMax): Promise<Body> {
    const order = typeof by === 'number' ? { bySeconds: by } : { to: by };
    await this.api.must('POST', '/v1/test/clock/advance', order);
    return eventually(
      async () => {
        const clock = await this.clock();
        return clock.at('status') === 'ready' ? clock : null;
      },
      () => 'the test clock to be ready',
      waitMs,
    );
  }

  /** A buyer opens the hosted page and picks wallet_b; returns the page reached. */
  async start(session: Body): Promise<Page> {
    return press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
  }

  /** As start, and logs in at the simulated wallet. */
  async startAndLogIn(session: Body): Promise<Page> {
    return (await logIn(await this.start(session))).value;
  }
}
