/** What a buyer's pages do by themselves, in a real browser: over a socket, with sockets blocked, and without script. */
import type { Page } from 'playwright-core';
import { afterAll, test } from 'vitest';
import { pay, picks, running, says, type SessionStory } from '../actors/checkout-session/buyer.ts';
import { payPath, sessionId } from '../gateways/buyer/till.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { street, type Street } from './street.ts';

const ways = [
  ['over a socket', true],
  ['by polling, with sockets blocked', false],
] as const;

const qrText = '00020101021226350011qra.example62320520pay-4t8z1m6q3x9k2v7b6304516C';

/** The buyer has picked the code, and it is on the screen. */
const showsCode = (story: SessionStory): SessionStory =>
  picks(story, 1, 'qr_a').settle('provider.start', {
    paymentId: pay(1),
    durationMs: 1,
    answer: {
      outcome: 'started',
      lookupReference: pay(1),
      providerExpiresAt: null,
      instructions: { kind: 'qr', method: 'GET', url: '', fields: {}, qrMessage: qrText },
    },
  });
const isScanned = (story: SessionStory): SessionStory =>
  story.when('hint', {
    paymentId: pay(1),
    from: 'scan',
    says: 'unknown',
    verified: false,
    summary: 'scanned',
  });
const isPaid = (story: SessionStory): SessionStory => says(story, 'paid');
const isDoubtful = (story: SessionStory): SessionStory =>
  says(running(story).wait(4000), 'paid', { amountPaisa: 100 });

describeInBrowser("a buyer's page", { timeout: 60_000, concurrent: true }, () => {
  const browser = browserOfFile();
  const open: Street[] = [];

  afterAll(async () => {
    for (const { ours, provider, shop } of open)
      await Promise.all([ours, provider, shop].map((each) => each.close()));
  });

  interface Visit {
    readonly place: Street;
    readonly tab: Page;
  }

  async function visit(
    before: (story: SessionStory) => unknown,
    { sockets = true, script = true, locale = 'en-US', fakeTime = false } = {},
  ): Promise<Visit> {
    const place = await street({}, { sockets });
    open.push(place);
    place.till.happens((story) => void before(story));
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: script,
      locale,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const tab = await context.newPage();
    if (fakeTime) await tab.clock.install();
    await tab.goto(`${place.ours.origin}${payPath}`);
    return { place, tab };
  }
  const nothing = (): void => undefined;
  const heading = (tab: Page, name: string | RegExp): Promise<void> =>
    tab.getByRole('heading', { name }).waitFor();
  const shopAddress = ({ place }: Visit): string =>
    `${place.shop.origin}/return?session_id=${sessionId}&status=success`;

  test.for(ways)('the choice notices that it was paid elsewhere, %s', async ([, sockets], { expect }) => {
    const { place, tab } = await visit(nothing, { sockets });
    await tab.evaluate('globalThis.stands = true');
    place.till.happens((story) => running(story));
    place.till.happens((story) => isPaid(story.wait(4000)));
    await heading(tab, 'Payment received');
    expect(await tab.evaluate('globalThis.stands')).toBe(true);
    await tab.close();
  });

  test.for(ways)('the choice notices that it has expired elsewhere, %s', async ([, sockets], { expect }) => {
    const { place, tab } = await visit(nothing, { sockets });
    place.till.happens((story) => story.when('expire', {}));
    await heading(tab, 'This payment session has expired');
    expect(await tab.getByRole('link', { name: 'Go back to Example Store' }).count()).toBe(1);
    await tab.close();
  });

  test('the choice stays while a payment is only started elsewhere: nothing typed is lost', async ({
    expect,
  }) => {
    const { place, tab } = await visit(nothing);
    await tab.evaluate('globalThis.stands = true');
    const socket = await tab.waitForEvent('websocket', { timeout: 100 }).catch(() => null);
    const told = socket?.waitForEvent('framereceived', ({ payload }) => payload.includes('initiated'));
    place.till.happens((story) => running(story));
    await told;
    place.till.happens((story) => isPaid(story.wait(4000)));
    await heading(tab, 'Payment received');
    expect(await tab.evaluate('globalThis.stands')).toBe(true);
    await tab.close();
  });

  test.for(ways)(
    'a code counts seconds, is confirmed on the phone, and is paid; then the page returns by itself, %s',
    async ([, sockets], { expect }) => {
      const seen = await visit(showsCode, { sockets });
      const { place, tab } = seen;
      const timer = tab.getByRole('timer');
      const first = (await timer.textContent()) ?? '';
      expect(first).toMatch(/^(?:3:00|2:5\d)$/);
      await expect.poll(() => timer.textContent(), { timeout: 5000 }).not.toBe(first);
      await tab.evaluate('globalThis.stands = true');
      place.till.happens(isScanned);
      await heading(tab, 'Scanned. Confirm on your phone.');
      // the service's clock stands still in this test, the browser's does not
      await expect.poll(() => timer.textContent(), { timeout: 5000 }).toMatch(/^2:5\d$/);
      // another scan of it is possible, but asked for
      const code = tab.getByRole('img', { name: 'QR code' });
      expect(await code.isVisible()).toBe(false);
      await tab.getByText('Show the code again').click();
      expect(await code.isVisible()).toBe(true);
      place.till.happens(isPaid);
      await heading(tab, 'Payment received');
      expect(await tab.evaluate('globalThis.stands')).toBe(true);
      await tab
        .getByText(/You return to Example Store in [1-5] seconds?/)
        .first()
        .waitFor();
      await tab.waitForURL(shopAddress(seen));
      await tab.close();
    },
  );

  test('without script a code is confirmed, paid and left for the shop by itself too', async ({ expect }) => {
    const seen = await visit(showsCode, { script: false });
    const { place, tab } = seen;
    expect(await tab.getByRole('timer').textContent()).toMatch(/^(?:3:00|2:5\d)$/);
    place.till.happens(isScanned);
    await heading(tab, 'Scanned. Confirm on your phone.');
    place.till.happens(isPaid);
    await heading(tab, 'Payment received');
    await tab.waitForURL(shopAddress(seen));
    await tab.close();
  });

  test.for([
    ['by its link', (tab: Page) => tab.getByRole('link', { name: 'Stay on this page' }).click()],
    ['by the first key that moves through the page', (tab: Page) => tab.keyboard.press('Tab')],
  ] as const)('the return is stopped %s, and that is announced', async ([, stop], { expect }) => {
    const { tab } = await visit((story) => isPaid(isScanned(showsCode(story))), { fakeTime: true });
    const told = tab.locator('.returning [role=status]');
    await expect.poll(() => told.textContent()).toContain('You return to Example Store in 5 seconds.');
    await stop(tab);
    expect(await told.textContent()).toBe('You stay on this page.');
    await tab.clock.fastForward(60_000);
    await heading(tab, 'Payment received');
    await tab.close();
  });

  test('without script the return is stopped by a link, and who opens the page later stays', async ({
    expect,
  }) => {
    const { place, tab } = await visit((story) => isPaid(isScanned(showsCode(story))), { script: false });
    const refreshes = (): Promise<number> => tab.locator('meta[http-equiv=refresh]').count();
    expect(await refreshes()).toBe(1);
    await tab.getByRole('link', { name: 'Stay on this page' }).click();
    await tab.waitForURL(/\?stay=1$/);
    expect(await refreshes()).toBe(0);
    await place.till.clock.pass(60_000);
    await tab.goto(`${place.ours.origin}${payPath}`);
    expect(await refreshes()).toBe(0);
    await tab.close();
  });

  test.for([
    ['with script', true],
    ['without script', false],
  ] as const)(
    'while a wallet is waited for, other ways are opened on purpose, below a warning: %s',
    async ([, script], { expect }) => {
      const { tab } = await visit(running, { script });
      const other = tab.getByRole('button', { name: 'Wallet A' });
      expect(await other.isVisible()).toBe(false);
      expect(await tab.getByRole('button', { name: 'Continue to Wallet B' }).isVisible()).toBe(true);
      await tab.getByText('Pay another way').focus();
      await tab.keyboard.press('Enter');
      await other.waitFor();
      const [warning, way] = await Promise.all([
        tab.getByText('Do not pay twice.').boundingBox(),
        other.boundingBox(),
      ]);
      expect(warning?.y).toBeLessThan(way?.y ?? 0);
      await tab.close();
    },
  );

  test.for([
    ['with script', true],
    ['without script', false],
  ] as const)(
    'a payment under review cannot be cancelled; it has a reference to copy: %s',
    async ([, script], { expect }) => {
      const { tab } = await visit(isDoubtful, { script });
      await heading(tab, 'Your payment is under review');
      expect(await tab.getByRole('button', { name: /^Cancel/ }).count()).toBe(0);
      await tab.getByRole('heading', { name: 'What happens next' }).waitFor();
      const copy = tab.getByRole('button', { name: 'Copy' });
      expect(await copy.isVisible()).toBe(script);
      if (script) {
        await copy.press('Enter');
        await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
        expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(pay(1));
      } else {
        // playwright's own evaluation works without the page's script
        const selects = "getComputedStyle(document.querySelector('[data-copied-from]')).userSelect";
        expect(await tab.evaluate(selects)).toBe('all');
      }
      await tab.close();
    },
  );

  const endings: readonly (readonly [string, (story: SessionStory) => unknown, string, string])[] = [
    ['that nobody touched', (story) => story.when('expire', {}), sessionId, 'Give the shop this reference.'],
    [
      'with a payment begun',
      (story) => running(story).when('expire', {}),
      pay(1),
      'We keep asking the provider',
    ],
  ];
  test.for(endings)(
    'an expired page %s shows its reference, and says not to pay again if money left the wallet',
    async ([, before, reference, then], { expect }) => {
      const { tab } = await visit(before, { script: false });
      await heading(tab, 'This payment session has expired');
      await tab.getByText('If money left your wallet, do not pay again.').waitFor();
      await tab.getByText(then).waitFor();
      expect(await tab.locator('[data-copied-from]').textContent()).toBe(reference);
      await tab.getByRole('link', { name: 'नेपाली' }).click();
      await tab.getByText('तपाईंको वालेटबाट रकम काटिएको छ भने फेरि भुक्तानी नगर्नुहोस्।').waitFor();
      expect(await tab.locator('[data-copied-from]').textContent()).toBe(reference);
      await tab.close();
    },
  );

  test.for([
    ['with script', true],
    ['without script', false],
  ] as const)('the reference of a paid page is copied %s', async ([, script], { expect }) => {
    const { tab } = await visit((story) => isPaid(running(story).wait(4000)), { script });
    await heading(tab, 'Payment received');
    const copy = tab.getByRole('button', { name: 'Copy' });
    expect(await copy.isVisible()).toBe(script);
    if (script) {
      await copy.click();
      await tab.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
      expect(await tab.evaluate('navigator.clipboard.readText()')).toBe(pay(1));
    } else {
      await tab.locator('[data-copied-from]').click();
      expect(await tab.evaluate('getSelection().toString()')).toBe(pay(1));
    }
    await tab.close();
  });

  test('a paid page prints what was paid on one sheet, dark on white, without what can only be pressed', async ({
    expect,
  }) => {
    const { tab } = await visit((story) => isPaid(running(story).wait(4000)));
    await heading(tab, 'Payment received');
    await tab.evaluate('globalThis.print = () => { globalThis.printed = true }');
    await tab.getByRole('button', { name: 'Print this page' }).click();
    expect(await tab.evaluate('globalThis.printed')).toBe(true);
    await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const text of ['Payment received', 'Example Store', 'Wallet B', pay(1)])
      expect([text, await tab.getByText(text).first().isVisible()]).toEqual([text, true]);
    for (const name of ['Copy', 'Print this page', 'Go back to Example Store', 'English'])
      expect([name, await tab.getByText(name, { exact: true }).isVisible()]).toEqual([name, false]);
    const colours = ['.slip', 'body'].map(
      (of) => `getComputedStyle(document.querySelector('${of}')).backgroundColor`,
    );
    for (const colour of colours) expect(await tab.evaluate(colour)).toBe('rgb(255, 255, 255)');
    expect(await tab.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe('rgb(0, 0, 0)');
    const pdf = (await tab.pdf({ format: 'A4', printBackground: false })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
    await tab.close();
  });

  test("is in the browser's language, and in the chosen one from then on, without script", async ({
    expect,
  }) => {
    const { place, tab } = await visit(running, { script: false, locale: 'ne-NP' });
    await heading(tab, 'Wallet B मा भुक्तानी पूरा गर्नुहोस्');
    await tab.getByRole('link', { name: 'English' }).click();
    await heading(tab, 'Finish paying with Wallet B');
    await tab.goto(`${place.ours.origin}${payPath}`);
    await heading(tab, 'Finish paying with Wallet B');
    expect(await tab.locator('html').getAttribute('lang')).toBe('en');
    await tab.getByRole('link', { name: 'नेपाली' }).click();
    await heading(tab, 'Wallet B मा भुक्तानी पूरा गर्नुहोस्');
    await tab.close();
  });

  test('counts down in Nepali as it was written', async ({ expect }) => {
    const { tab } = await visit(showsCode, { locale: 'ne-NP' });
    const timer = tab.getByRole('timer');
    const first = (await timer.textContent()) ?? '';
    expect(first).toMatch(/^(?:३:००|२:५[०-९])$/);
    await expect.poll(() => timer.textContent(), { timeout: 5000 }).not.toBe(first);
    expect(await timer.textContent()).toMatch(/^२:५[०-९]$/);
    await tab.close();
  });
});
