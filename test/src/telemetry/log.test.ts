import { expect, test } from 'vitest';
import { createLog } from '../../../src/telemetry/log.ts';

function lines(
  pretty: boolean,
  level = 'info',
): { readonly log: ReturnType<typeof createLog>; readonly text: () => string } {
  const written: string[] = [];
  const log = createLog({ level, pretty, write: (line) => void written.push(line) });
  return { log, text: () => written.join('') };
}

const canary = 'canary7Q3x9K2v7bA8dE1fG6hJ0kL5mN';

test('no secret and no buyer data is logged, under whatever name or place', () => {
  const { log, text } = lines(false);
  log.info({ authorization: canary, headers: { cookie: canary }, credentials: { secretKey: canary } }, 'a');
  log.info(
    { customer: { name: canary }, order: { customer: canary }, a: { b: { email: canary, phone: canary } } },
    'b',
  );
  log.warn(
    { err: new Error(`refused sk_live_${canary} whsec_${canary} Bearer ${canary}`) },
    `with pk_test_${canary}`,
  );
  expect(text()).not.toContain(canary);
  expect(text()).toContain('sk_live_[hidden]');
});

test('a session is identified by a hash that is the same in every line', () => {
  const { log, text } = lines(false);
  log.info({ sessionId: 'cs_n5y5kc7txbgmy7rz22b0c1r5' }, 'paid cs_n5y5kc7txbgmy7rz22b0c1r5');
  log.info('again cs_n5y5kc7txbgmy7rz22b0c1r5, not cs_xhb0f0273zxk2qcf7a6ekcts');
  expect(text()).not.toContain('n5y5kc7txbgmy7rz22b0c1r5');
  const hashes = text().match(/cs#[0-9a-f]{10}/g) ?? [];
  expect(hashes).toHaveLength(4);
  expect(new Set(hashes).size).toBe(2);
});

test('lines are JSON for machines and plain for people', () => {
  const machine = lines(false);
  machine.log.info({ port: 8080 }, 'listening');
  expect(JSON.parse(machine.text())).toMatchObject({ level: 30, port: 8080, msg: 'listening' });
  const people = lines(true);
  people.log.warn({ port: 8080, why: 'two words' }, 'listening');
  expect(people.text()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}listening port=8080 why="two words"\n$/);
});

test('messages below the level are not written', () => {
  const { log, text } = lines(false, 'warn');
  log.info('quiet');
  expect(text()).toBe('');
});
