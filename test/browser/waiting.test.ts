/** How a waiting page handles its socket, in a real browser, against a server that only plays the service's messages. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { refusal } from '../../gateways/socketio/refusal.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { show, type OpenHosted, type Shown } from './rig.ts';
import { samples, statusBody } from './samples.ts';

const soon = { timeout: 15_000 };

describeInBrowser('a page that waits', { timeout: 60_000 }, () => {
  const browser = browserOfFile();
  /** The page, how often it has asked so far, and what its console complained of. */
  async function opened(rig: Shown): Promise<[Page, () => number, string[]]> {
    const tab = await browser.newPage();
    let asked = 0;
    const complaints: string[] = [];
    tab.on('request', (request) => void (request.url().endsWith('/status') && asked++));
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    await tab.goto(`${rig.origin}/away`);
    return [tab, () => asked, complaints];
  }

  const shown = (openHosted: OpenHosted): Promise<Shown> => show(samples, statusBody, openHosted);

  test('connects to another node when its own says goodbye', async () => {
    let met = 0;
    const rig = await shown((namespace) => {
      namespace.on('connection', (socket) => {
        socket.emit('state', statusBody);
        if (++met > 1) return;
        socket.emit('bye', { code: 'restarting' });
        socket.disconnect(true);
      });
    });
    const [tab, , complaints] = await opened(rig);
    await expect.poll(() => met, soon).toBe(2);
    expect(complaints).toEqual([]);
    await tab.close();
    await rig.close();
  });

  test('polls while its node is away, and stops polling when it is connected again', async () => {
    let [isGone, met] = [false, 0];
    const rig = await shown((namespace) => {
      namespace.use((socket, next) => {
        if (isGone) socket.conn.close(true);
        else next();
      });
      namespace.on('connection', (socket) => {
        met++;
        socket.emit('state', statusBody);
        // as a process does that dies
        if (met === 1) setTimeout(() => socket.conn.close(true), 10);
      });
      namespace.on('connection', () => (isGone = met === 1));
    });
    const [tab, asked] = await opened(rig);
    await expect.poll(asked, soon).toBeGreaterThan(1);
    isGone = false;
    await expect.poll(() => met, soon).toBe(2);
    const before = asked();
    await tab.waitForTimeout(5000);
    expect(asked() - before).toBeLessThanOrEqual(1);
    await tab.close();
    await rig.close();
  });

  test('does not reconnect where it was refused, but polls', async () => {
    let knocked = 0;
    const rig = await shown((namespace) => {
      namespace.use((_socket, next) => {
        knocked++;
        next(refusal('rate_limit_exceeded'));
      });
    });
    const [tab, asked, complaints] = await opened(rig);
    await expect.poll(asked, soon).toBeGreaterThan(2);
    expect(knocked).toBe(1);
    expect(complaints).toEqual([]);
    await tab.close();
    await rig.close();
  });
});
