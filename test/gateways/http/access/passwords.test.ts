import { expect, test, vi } from 'vitest';
import { openPasswords } from '../../../../gateways/http/access/passwords.ts';

// a password is a third of a second of one core, however busy that is
vi.setConfig({ testTimeout: 60_000 });

const key = Buffer.alloc(32, 7);

test('a password and its name give the same hash on every node', async () => {
  const [one, other] = [openPasswords(key, 9), openPasswords(key, 9)];
  const hash = await one.chosen('asha@example.com', 'correct horse');
  expect(hash).toMatch(/^scrypt-14-8-5:[A-Za-z0-9+/]{43}=$/);
  expect(await other.chosen('asha@example.com', 'correct horse')).toBe(hash);
});

test('another name, password or service key gives another hash', async () => {
  const passwords = openPasswords(key, 9);
  const texts = await Promise.all([
    passwords.chosen('asha@example.com', 'correct horse'),
    passwords.chosen('asha@example.org', 'correct horse'),
    passwords.chosen('asha@example.com', 'correct horsf'),
    openPasswords(Buffer.alloc(32, 8), 9).chosen('asha@example.com', 'correct horse'),
  ]);
  expect(new Set(texts).size).toBe(4);
});

test('a generated password is stored without slow hashing, and never looks like a chosen one', async () => {
  const passwords = openPasswords(key, 9);
  const texts = [
    passwords.drawn('asha@example.com', 'x'),
    passwords.drawn('asha@example.org', 'x'),
    openPasswords(Buffer.alloc(32, 8), 9).drawn('asha@example.com', 'x'),
    await passwords.chosen('asha@example.com', 'x'),
  ];
  expect(texts[0]).toMatch(/^drawn:[A-Za-z0-9+/]{43}=$/);
  expect(passwords.drawn('asha@example.com', 'x')).toBe(texts[0]);
  expect(new Set(texts).size).toBe(4);
});

test('letters composed differently by two keyboards are the same password', async () => {
  const passwords = openPasswords(key, 9);
  expect(await passwords.chosen('a', 'caf\u00e9')).toBe(await passwords.chosen('a', 'cafe\u0301'));
});

test('one password is hashed at a time; above the bound of waiting ones a caller is refused at once', async () => {
  const passwords = openPasswords(key, 1);
  const all = ['one', 'two', 'three'].map((password) => passwords.chosen('a', password));
  expect(await Promise.race([all[2], all[0]])).toBeNull();
  const done = await Promise.all(all);
  expect(done.map((each) => each === null)).toEqual([false, false, true]);
  expect(await passwords.chosen('a', 'four')).not.toBeNull();
});

test('a caller from another network waits for one password of each guessing network, not for all of theirs', async () => {
  const passwords = openPasswords(key, 9);
  const done: string[] = [];
  const from = async (network: string, password: string): Promise<void> => {
    if ((await passwords.chosen('operator', password, network)) !== null) done.push(network);
  };
  const guesses = Array.from({ length: 6 }, (_, at) => from('10.0.0.1', `guess ${at}`));
  await Promise.all([...guesses, from('10.0.0.2', 'right'), from('10.0.0.3', 'right')]);
  expect(done.slice(0, 4)).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(done.length).toBe(8);
});

test('a full queue makes room for a network without a place, taken from the network with most places', async () => {
  const passwords = openPasswords(key, 4);
  const many = Array.from({ length: 5 }, (_, at) => passwords.chosen('a', `guess ${at}`, '10.0.0.1'));
  const others = ['10.0.0.2', '10.0.0.3', '10.0.0.4'].map((network) =>
    passwords.chosen('a', 'right', network),
  );
  // four networks wait, one password each: now it is full for everybody
  expect(await passwords.chosen('a', 'right', '10.0.0.5')).toBeNull();
  expect(await passwords.chosen('a', 'again', '10.0.0.1')).toBeNull();
  expect((await Promise.all(many)).map((hash) => hash !== null)).toEqual([true, true, false, false, false]);
  expect((await Promise.all(others)).every((hash) => hash !== null)).toBe(true);
});
