/** A merchant's password is set anew: the sessions of the old one end on every node, long before what the nodes
 *  remember of them grows too old. */
import { expect, test } from 'vitest';
import { merchantWithLogin, Page as DashboardPage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { Screen } from '../support/screen.ts';
import { describeModes } from '../support/modes.ts';

/** A hint between nodes takes some ms. What is forgotten by age alone is read again after 2 s at the earliest. */
const feltMsMax = 1000;

describeModes('password resets', (galla) => {
  test('a reset password ends the old sessions on every node within a second, and no others', async () => {
    const people = await Promise.all(
      ['reset', 'other'].map((name) =>
        merchantWithLogin(galla().admin, { email: `${name}.${Date.now().toString(36)}@example.com` }),
      ),
    );
    const pages = await Promise.all(
      people.map(async (person) => {
        const first = new DashboardPage(galla().urls[0] ?? '');
        expect((await first.logIn(person)).status).toBe(200);
        return galla().urls.map((url) => new DashboardPage(url, first));
      }),
    );
    const [ofReset = [], ofOther = []] = pages;
    const statuses = (of: readonly DashboardPage[]): Promise<readonly number[]> =>
      Promise.all(of.map(async (page) => (await page.get('/dashboard/api/me')).status));
    // each node has just read the session
    expect(await statuses(ofReset)).toEqual(ofReset.map(() => 200));
    const screensOf = (of: readonly DashboardPage[], projectId = ''): Promise<readonly Screen[]> =>
      Promise.all(
        of.map(({ cookie }, at) => {
          const node = galla().urls[at] ?? '';
          return new Screen(node, { projectId, mode: 'sandbox' }, { cookie, origin: node }).begun();
        }),
      );
    const [open, others] = [
      await screensOf(ofReset, people[0]?.projectId),
      await screensOf(ofOther, people[1]?.projectId),
    ];
    await galla().admin.must('POST', `/admin/v1/merchants/${people[0]?.merchantId ?? ''}/reset-password`);
    await eventually(
      async () => (await statuses(ofReset)).every((status) => status === 204) || null,
      () => 'every node to end the sessions',
      feltMsMax,
    );
    await eventually(
      async () => open.every(({ ended }) => ended !== null) || null,
      () => 'every node to end the sockets',
      feltMsMax,
    );
    for (const { heard } of open)
      expect(heard.at(-1)).toMatchObject({ event: 'bye', body: { value: { code: 'login_required' } } });
    expect(await statuses(ofOther)).toEqual(ofOther.map(() => 200));
    expect(others.map(({ ended }) => ended)).toEqual(others.map(() => null));
    for (const { socket } of others) socket.disconnect();
  });
});
