import { afterEach, expect, test, vi } from 'vitest';
import { loginsAskedEveryMs, socketsPerScopeMax } from '../../../gateways/socketio/merchants.ts';
import { waitingMax } from '../../../gateways/socketio/change-feed.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { running, says, scope } from '../../actors/checkout-session/buyer.ts';
import { cookie, MerchantsRig, type Watcher } from './merchants-rig.ts';

const open: MerchantsRig[] = [];
afterEach(async () => {
  for (const { rig } of open.splice(0)) await (await rig).stop();
});

function shop(limits = true): MerchantsRig {
  const made = new MerchantsRig(limits);
  open.push(made);
  return made;
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 8000, interval: 10 });
const begun = (watcher: Watcher) => eventually(() => expect(watcher.events[0]).toBe('snapshot'));
const nobody = { sockets: 0, feeds: 0 };
const [projectId = ''] = scope.split(':');
const fromOurPage = { cookie, origin: 'https://pay.example' };

test('a screen receives a snapshot once and first, then each change in the room of its scope', async () => {
  const place = shop();
  place.scene.opens(0);
  const [one, two] = [await place.screen(), await place.screen()];
  await begun(one);
  await begun(two);
  const id = place.scene.opens(1);
  place.scene.happens(id, (story) => says(running(story).wait(4000), 'paid'));
  await place.scene.clock.pass(seconds(2));
  await eventually(() => expect(two.events).toContain('today'));
  expect(one.heard).toEqual(two.heard);
  expect(one.events.filter((event) => event === 'snapshot')).toHaveLength(1);
  expect(one.heard[0]?.[1]).toMatchObject({
    checkouts: [{ sequence: 1 }],
    payments: [],
    today: { openCount: 1 },
  });
  expect(Object.keys(one.heard[0]?.[1] ?? {})).toEqual(['at', 'payments', 'checkouts', 'today']);
  const last = one.heard.findLast(([event]) => event === 'change')?.[1];
  expect(Object.keys(last ?? {})).toEqual(['object', 'id', 'sequence', 'data']);
  expect(place.merchants.sizes).toEqual({ sockets: 2, feeds: 1 });
  one.socket.disconnect();
  two.socket.disconnect();
  await eventually(() => expect(place.merchants.sizes).toEqual(nobody));
  expect(place.scene.watchers.size).toBe(0);
});

test('a commit during the snapshot reaches the screen once, after the snapshot', async () => {
  const place = shop();
  let go = (): void => undefined;
  place.scene.gate = new Promise((resolve) => (go = resolve));
  const screen = await place.screen();
  await eventually(() => expect(place.scene.reads.length).toBeGreaterThan(0));
  place.scene.gate = null;
  const id = place.scene.opens(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  go();
  await begun(screen);
  place.scene.notice(id);
  await place.scene.clock.pass(seconds(1));
  const about = screen.heard.filter(([, body]) => JSON.stringify(body).includes(id));
  expect(about).toHaveLength(1);
});

test.each([
  ['no auth at all', {}],
  ['a ticket nobody sold', { ticket: mintId('tkt') }],
  ['a ticket that is none', { ticket: 'tkt_*' }],
  ['a ticket of another kind', { ticket: { toString: 'x' } }],
  ['null', { ticket: null }],
  ['a key', { ticket: 'sk_test_00000000000000000000000000000000' }],
  ['a room of its own choice', { room: scope, scope, projectId: undefined }],
])('%s opens no socket', async (_what, auth) => {
  const place = shop();
  const screen = await place.screen(auth);
  await eventually(() => expect(screen.refused).not.toBeNull());
  expect(screen.refused).toEqual({
    code: 'ticket_invalid',
    message: 'This ticket is unknown, used or expired. Request a new one.',
  });
  expect(place.merchants.sizes).toEqual(nobody);
});

test('a ticket is used up by its first use, whatever its result', async () => {
  const place = shop();
  const ticket = place.ticket();
  place.keys.suspended = { at: 0, reason: 'x' };
  const first = await place.screen({ ticket });
  await eventually(() => expect(first.refused).toMatchObject({ code: 'account_suspended' }));
  place.keys.suspended = null;
  const second = await place.screen({ ticket });
  await eventually(() => expect(second.refused).toMatchObject({ code: 'ticket_invalid' }));
  first.socket.auth = { ticket: place.ticket() };
  first.socket.connect();
  await begun(first);
});

test.each([
  ['with no cookie', { origin: fromOurPage.origin }, {}, 'login_required'],
  ['from another page', { ...fromOurPage, origin: 'https://evil.example' }, {}, 'login_required'],
  ['from no page', { cookie }, {}, 'login_required'],
  ['from a page without a name', { ...fromOurPage, origin: 'null' }, {}, 'login_required'],
  ['with a cookie of nobody', { ...fromOurPage, cookie: 'x=y' }, {}, 'login_required'],
  ['for a project that is not theirs', fromOurPage, { projectId: mintId('prj') }, 'resource_not_found'],
  ['for what is no project', fromOurPage, { projectId: 7 }, 'resource_not_found'],
  ['in a mode there is not', fromOurPage, { mode: 'both' }, 'resource_not_found'],
])('a login %s opens no socket', async (_what, headers, change, code) => {
  const place = shop();
  const screen = await place.screen({ projectId, mode: 'sandbox', ...change }, headers);
  await eventually(() => expect(screen.refused).toMatchObject({ code }));
  expect(place.merchants.sizes).toEqual(nobody);
});

test('row 112: a login opens its project from our pages; logging out ends these sockets and no others', async () => {
  const place = shop();
  const port = (await place.rig).port;
  const auth = { projectId, mode: 'sandbox' };
  const screens = [
    await place.screen(auth, fromOurPage),
    await place.screen(auth, { cookie, origin: `http://127.0.0.1:${port}` }),
  ];
  const bought = await place.screen();
  for (const screen of [...screens, bought]) await begun(screen);
  place.login = null;
  await place.scene.clock.pass(loginsAskedEveryMs);
  for (const screen of screens) {
    await eventually(() => expect(screen.ended).not.toBeNull());
    expect(screen.heard.at(-1)).toEqual(['bye', { code: 'login_required' }]);
  }
  expect(place.merchants.sizes).toEqual({ sockets: 1, feeds: 1 });
  expect(bought.ended).toBeNull();
});

test('when sessions may have ended, the sockets of logins are checked at once', async () => {
  const place = shop();
  const screen = await place.screen({ projectId, mode: 'sandbox' }, fromOurPage);
  await begun(screen);
  place.login = null;
  place.loginsChanged();
  await eventually(() => expect(screen.ended).not.toBeNull());
  expect(screen.heard.at(-1)).toEqual(['bye', { code: 'login_required' }]);
});

test('row 112: a socket that is no longer allowed is closed with the reason within five seconds', async () => {
  const place = shop();
  const [login, bought] = [
    await place.screen({ projectId, mode: 'sandbox' }, fromOurPage),
    await place.screen(),
  ];
  await begun(login);
  await begun(bought);
  place.silent = true;
  await place.scene.clock.pass(seconds(30));
  expect([login.ended, bought.ended]).toEqual([null, null]);
  place.silent = false;
  place.suspended = true;
  place.keys.change(place.keyText, { revokedAt: 1 });
  await place.scene.clock.pass(seconds(4));
  await eventually(() => expect([login.ended, bought.ended]).not.toContain(null));
  expect(login.heard.at(-1)).toEqual(['bye', { code: 'account_suspended' }]);
  expect(bought.heard.at(-1)).toEqual(['bye', { code: 'api_key_revoked' }]);
  expect(place.merchants.sizes).toEqual(nobody);
});

test('a key that expires ends the sockets of its tickets', async () => {
  const place = shop();
  const screen = await place.screen();
  await begun(screen);
  place.keys.change(place.keyText, { expiresAt: place.scene.clock.now() + seconds(1) });
  await place.scene.clock.pass(seconds(4));
  await eventually(() => expect(screen.heard.at(-1)).toEqual(['bye', { code: 'api_key_expired' }]));
});

test('a store that does not answer admits no socket, and the client is told', async () => {
  const place = shop();
  place.silent = true;
  const screen = await place.screen();
  await eventually(() => expect(screen.refused).toMatchObject({ code: 'service_unavailable' }));
  place.silent = false;
  place.scene.silent = true;
  const other = await place.screen();
  await eventually(() => expect(other.refused).not.toBeNull());
  expect(place.merchants.sizes).toEqual(nobody);
  expect(place.scene.watchers.size).toBe(0);
});

test('a project and mode has its limit, and a free place when a socket leaves', async () => {
  const place = shop();
  const inside = await Promise.all(Array.from({ length: socketsPerScopeMax }, () => place.screen()));
  await eventually(() => expect(inside.every(({ events }) => events[0] === 'snapshot')).toBe(true));
  const refused = await place.screen();
  await eventually(() => expect(refused.refused).toMatchObject({ code: 'rate_limit_exceeded' }));
  inside[0]?.socket.disconnect();
  await eventually(() => expect(place.merchants.sizes.sockets).toBe(socketsPerScopeMax - 1));
  await begun(await place.screen());
});

test('clients that leave while they are admitted leave nothing behind', async () => {
  const place = shop();
  let go = (): void => undefined;
  place.scene.gate = new Promise((resolve) => (go = resolve));
  const screens = await Promise.all(Array.from({ length: 20 }, () => place.screen()));
  await eventually(() => expect(place.merchants.sizes.sockets).toBe(20));
  for (const { socket } of screens) socket.disconnect();
  await eventually(() => expect(place.merchants.sizes).toEqual(nobody));
  place.scene.gate = null;
  go();
  await begun(await place.screen());
});

test('more changes than can be read disconnect all sockets, which start again with a new feed', async () => {
  const place = shop();
  const screen = await place.screen();
  await begun(screen);
  place.scene.gate = new Promise(() => undefined);
  for (let n = 0; n < waitingMax + 100; n++) place.scene.notice(mintId('cs'));
  await eventually(() => expect(screen.heard.at(-1)).toEqual(['bye', { code: 'restarting' }]));
  place.scene.gate = null;
  await begun(await place.screen());
  expect(place.merchants.sizes).toEqual({ sockets: 1, feeds: 1 });
});

test('messages of a client change nothing: it cannot name a room, and no other client receives them', async () => {
  const place = shop();
  const [loud, quiet] = [await place.screen(), await place.screen()];
  await begun(loud);
  await begun(quiet);
  for (const word of ['join', 'subscribe', 'snapshot', 'change', 'bye'])
    loud.socket.emit(word, 'scope prj_other:live', { room: 'scope prj_other:live' });
  place.scene.opens(1);
  await eventually(() => expect(loud.events).toContain('change'));
  await eventually(() => expect(quiet.heard).toEqual(loud.heard));
  expect(loud.socket.connected).toBe(true);
});

test('when the bus is back, changes committed meanwhile are sent', async () => {
  const place = shop();
  const screen = await place.screen();
  await begun(screen);
  place.scene.opens(1, { quietly: true });
  place.again();
  await eventually(() => expect(screen.events).toContain('change'));
});
