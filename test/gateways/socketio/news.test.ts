import { describe, expect, test } from 'vitest';
import { newsEveryMs, ScopeNews, type ScopeNewsParts } from '../../../gateways/socketio/news.ts';
import { newsKinds } from '../../../gateways/socketio/news-kinds.ts';
import { logoAt } from '../../../actors/logo/messages.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { scopeOf, type Address } from '../../../src/runtime/model/address.ts';
import { Clock } from '../buyer/till.ts';

const projectId = mintId('prj');
const merchantId = mintId('mer');
const scope = scopeOf(projectId, 'sandbox');

class Office {
  readonly clock = new Clock();
  readonly told: (readonly string[])[] = [];
  readonly watchers = new Map<string, (id: string) => void>();
  silent = false;
  warnings = 0;
  readonly news: ScopeNews;

  constructor({ silent = false } = {}) {
    this.silent = silent;
    const watched = (name: string, onNotice: (id: string) => void) => {
      this.watchers.set(name, onNotice);
      return () => void this.watchers.delete(name);
    };
    const read = (to: Address): Promise<unknown> => {
      if (this.silent) return Promise.reject(new Error('no answer'));
      return Promise.resolve(to.kind === 'project' ? { state: { merchantId } } : null);
    };
    this.news = new ScopeNews(
      scope,
      {
        client: { watch: watched, watchScope: watched, read: read as ScopeNewsParts['client']['read'] },
        scheduler: this.clock,
        complaints: { warn: () => void this.warnings++ },
      },
      (kinds) => void this.told.push(kinds),
    );
  }

  commits(id: string, of: string = scope): void {
    this.watchers.get(of)?.(id);
  }
}

describe('news of one project and mode', () => {
  test('the first change is told at once; those that follow are told together, a second later', async () => {
    const { news, clock, told, ...office } = new Office();
    const commits = (id: string): void => office.watchers.get(scope)?.(id);
    commits(mintId('bp'));
    expect(told).toEqual([['plan']]);
    for (const prefix of ['bc', 'bc', 'lnk', 'bp']) commits(mintId(prefix));
    await clock.pass(newsEveryMs - 1);
    expect(told).toEqual([['plan']]);
    await clock.pass(1);
    expect(told).toEqual([['plan'], ['customer', 'link', 'plan']]);
    await clock.pass(10 * newsEveryMs);
    expect(told).toHaveLength(2);
    news.close();
  });

  test('however much changes, there is one message a second', async () => {
    const office = new Office();
    const seconds = 5;
    for (let at = 0; at < seconds * 100; at++) {
      office.commits(mintId('whd'));
      await office.clock.pass(newsEveryMs / 100);
    }
    expect(office.told).toHaveLength(seconds + 1);
  });

  test('keys and settings of the project, and the merchant with its logo, are watched outside the mode', async () => {
    const office = new Office();
    await office.clock.pass(0);
    for (const id of [projectId, merchantId, logoAt(projectId).id]) {
      office.commits(id, id);
      await office.clock.pass(newsEveryMs);
    }
    expect(office.told).toEqual([['project'], ['merchant'], ['merchant']]);
  });

  test('a merchant that could not be read is watched when the store answers again', async () => {
    const office = new Office({ silent: true });
    await office.clock.pass(0);
    expect([office.warnings, office.watchers.has(merchantId)]).toEqual([1, false]);
    office.silent = false;
    await office.clock.pass(newsEveryMs);
    expect(office.watchers.has(merchantId)).toBe(true);
  });

  test('actors of which no screen shows anything are no news', () => {
    const office = new Office();
    for (const prefix of ['msg', 'tkt', 'rsp', 'cs']) office.commits(mintId(prefix));
    for (const id of ['nonsense', 'constructor_x', scope]) office.commits(id);
    expect(office.told).toEqual([]);
  });

  test('after notices may have been lost, every kind may have changed', async () => {
    const office = new Office();
    office.news.missed();
    await office.clock.pass(newsEveryMs);
    expect(new Set(office.told.flat())).toEqual(new Set(newsKinds));
  });

  test('a closed one watches nothing and tells nothing', async () => {
    const office = new Office();
    await office.clock.pass(0);
    office.commits(mintId('bp'));
    office.commits(mintId('bc'));
    office.news.close();
    await office.clock.pass(newsEveryMs);
    expect(office.told).toEqual([['plan']]);
    expect(office.watchers.size).toBe(0);
  });
});
