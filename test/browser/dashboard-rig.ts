/** A merchant at the dashboard: the real service, the built pages, a browser that logs in by the form.
 *  Boundary: opens and closes; what happens on the screen is the test's. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page, WebSocketRoute } from 'playwright-core';
import type { Galla, House } from '../support/galla.ts';
import { root } from '../support/house.ts';
import { Api } from '../../src/cli/demo/api.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { Merchant } from '../support/merchant.ts';

/** The service reads the pages from here when it starts. */
export function assertBuilt(): void {
  if (!existsSync(join(root, 'dist/dashboard/index.html'))) {
    throw new Error('dist/dashboard is not built: npm run build');
  }
}

export interface Owner extends Merchant {
  readonly email: string;
  readonly password: string;
}

/** A new merchant with a login of his own. */
export async function ownerOf(house: House, name: string): Promise<Owner> {
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}@example.com`;
  const { body } = await house.admin.must('POST', '/admin/v1/merchants', { name, email });
  const projectId = body.text('project.id');
  const secretKey = await house.key(projectId, { kind: 'secret', mode: 'sandbox' });
  const merchant = new Merchant(projectId, new Api(house.url, secretKey), house.nobody);
  return Object.assign(merchant, { email, password: body.text('password') });
}

export interface Sight {
  readonly tab: Page;
  /** Everything the browser complains about; a refused request is a complaint too. */
  readonly complaints: string[];
  /** Origins of everything the page asked for. */
  readonly origins: Set<string>;
  /** Cuts the page's sockets, and lets no new one through until `on`. */
  readonly line: { cut: () => Promise<void>; on: () => void };
  readonly close: () => Promise<void>;
}

/** An empty window on the dashboard. */
export async function sightOf(
  browser: Browser,
  house: Galla,
  options: BrowserContextOptions = {},
): Promise<Sight> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const tab = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  const sockets: WebSocketRoute[] = [];
  let isCut = false;
  tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
  tab.on('pageerror', (error) => void complaints.push(error.message));
  tab.on('request', (request) => void origins.add(new URL(request.url()).origin));
  await tab.routeWebSocket(/\/socket\.io\//, async (socket) => {
    if (isCut) return socket.close();
    socket.connectToServer();
    sockets.push(socket);
    return undefined;
  });
  await tab.goto(`${house.url}/dashboard`);
  return {
    tab,
    complaints,
    origins,
    line: {
      cut: async () => {
        isCut = true;
        for (const socket of sockets.splice(0)) await socket.close();
      },
      on: () => void (isCut = false),
    },
    close: () => context.close(),
  };
}

/** Logs in by keyboard alone; afterwards the list of payments is there and moves. */
export async function logIn(
  tab: Page,
  { email, password }: Pick<Owner, 'email' | 'password'>,
): Promise<void> {
  await tab.getByLabel('E-mail').fill(email);
  await tab.keyboard.press('Tab');
  await tab.keyboard.type(password);
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { name: 'Payments', level: 1 }).waitFor();
  await tab.getByText('Up to date', { exact: true }).waitFor();
}

/** The operator of this service. */
export const operatorOf = ({ admin }: Galla): Pick<Owner, 'email' | 'password'> => ({
  email: 'operator',
  password: admin.key ?? '',
});

/** A payment of this buyer that has come out so; its session's id. */
export async function paid(owner: Owner, name: string, outcome = 'success'): Promise<string> {
  const session = await owner.checkout({ customer: { name }, metadata: { order_id: `of-${name}` } });
  await owner.simulate(session.text('id'), outcome);
  return session.text('id');
}

/** A payment of NPR 1,250.50 with this provider; its id. */
export async function paidWith(owner: Owner, provider: string, name: string): Promise<string> {
  const session = await owner.checkout({ customer: { name } });
  const outcome = { outcome: 'success', provider };
  await owner.api.must('POST', `/v1/test/checkout/${session.text('id')}/simulate`, outcome);
  return (await owner.untilStatus(session.text('id'), 'success')).text('paymentId');
}

/** One of each that waits for a person: a review, a refund to pay out, and an endpoint that fails; their ids. */
export async function waitingFor(
  owner: Owner,
  server: Shop,
): Promise<{ readonly payment: string; readonly refund: string; readonly endpoint: string }> {
  server.answering = () => ({ status: 500 });
  const { id: endpoint } = await owner.endpoint(server, ['checkout.created']);
  const doubtful = await owner.checkout({ customer: { name: 'Doubtful Rai' } });
  await owner.simulate(doubtful.text('id'), 'ambiguous');
  const payment = (await owner.session(doubtful.text('id'))).text('paymentId');
  const paymentId = await paidWith(owner, 'wallet_a', 'Portal Rai');
  const refund = { paymentId, amount: 1_000, reason: 'other' };
  return { payment, refund: (await owner.api.must('POST', '/v1/refunds', refund)).body.text('id'), endpoint };
}

/** The payments in the list. */
export const rows = (tab: Page): Locator => tab.getByRole('row').filter({ has: tab.getByRole('link') });
export const row = (tab: Page, name: string): Locator => rows(tab).filter({ hasText: name });
