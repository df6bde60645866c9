import { expect, test } from 'vitest';
import {
  keysMax,
  publishedFirstMs,
  receiptKeysAt,
  signingAt,
} from '../../../actors/receipt-keys/messages.ts';
import { receiptKeys } from '../../../actors/receipt-keys/receipt-keys.ts';
import { given } from '../../support/simulated/test-runner.ts';

const key = (name: string) => ({ x: name, sealed: `s1.${name}` });
const opened = () => given(receiptKeys, { id: receiptKeysAt.id, scope: 'system' }).when('open', key('first'));
type Story = ReturnType<typeof opened>;

const sealed = ({ state }: Story): readonly (string | null)[] => state.keys.map((one) => one.sealed);
const signing = ({ state, now }: Story): string | undefined => state.keys[signingAt(state.keys, now)]?.kid;

test('the first key signs at once, and a second node that also creates one changes nothing', () => {
  const story = opened().when('open', key('other'));
  expect(story.view).toEqual({
    keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'first', kid: 'rk_1', alg: 'EdDSA', use: 'sig' }],
  });
  expect(signing(story)).toBe('rk_1');
});

test('a new key is published at once and signs once every node publishes it', () => {
  const story = opened().wait(60_000).when('rotate', key('second'));
  expect(story.view['keys']).toMatchObject([{ kid: 'rk_2' }, { kid: 'rk_1' }]);
  expect(signing(story.wait(publishedFirstMs - 1))).toBe('rk_1');
  expect(signing(story.wait(1))).toBe('rk_2');
});

test('the rotation after a newer key signs deletes the private half of the older one, its public half never', () => {
  const story = opened().wait(60_000).when('rotate', key('second')).wait(60_000).when('rotate', key('third'));
  expect(sealed(story)).toEqual([null, 's1.second', 's1.third']);
  expect(story.view['keys']).toMatchObject([{ x: 'third' }, { x: 'second' }, { x: 'first' }]);
});

test('a node whose clock is a second behind still finds a key that can sign', () => {
  const story = opened().wait(60_000).when('rotate', key('second')).wait(publishedFirstMs);
  const { keys } = story.when('rotate', key('third')).state;
  expect(keys[signingAt(keys, story.now - 1000)]).toMatchObject({ kid: 'rk_2', sealed: 's1.second' });
});

test('rotated three times at once, there is always a key that every node publishes', () => {
  const story = opened().wait(60_000);
  for (const name of ['a', 'b', 'c']) expect(signing(story.when('rotate', key(name)))).toBe('rk_1');
  expect(sealed(story)).toEqual(['s1.first', 's1.a', 's1.b', 's1.c']);
  expect(signing(story.wait(publishedFirstMs))).toBe('rk_4');
});

test('after a restore no key gets the name that one of the lost time had', () => {
  const eras = [{ era: 1, backupAt: 0, restoredAt: 1, highest: {} }];
  const lost = opened().wait(60_000).when('rotate', key('lost'));
  const story = Object.assign(opened(), { eras }).wait(60_000).when('rotate', key('second'));
  expect(story.view['keys']).toMatchObject([{ kid: 'rk_2_e1' }, { kid: 'rk_1' }]);
  expect(lost.view['keys']).toMatchObject([{ kid: 'rk_2' }, { kid: 'rk_1' }]);
});

test('the same key added twice is one key, and there are at most a thousand', () => {
  const story = opened().when('rotate', key('second')).when('rotate', key('second'));
  expect(story.state.keys).toHaveLength(2);
  for (let at = 3; at <= keysMax; at++) story.wait(publishedFirstMs).when('rotate', key(`key ${at}`));
  expect(story.last.outcome.is).toBe('ok');
  expect(story.when('rotate', key('one more')).last.outcome).toMatchObject({
    is: 'refused',
    code: 'receipt_key_limit_reached',
  });
});

test('only an operator may rotate, and only the service itself creates the first key', () => {
  const notFound = { is: 'refused', code: 'not_found' };
  expect(opened().when('rotate', key('x'), { by: 'merchant' }).last.outcome).toMatchObject(notFound);
  expect(opened().when('open', key('x'), { by: 'operator' }).last.outcome).toMatchObject(notFound);
});
