import { beforeEach, expect, test } from 'vitest';
import { ReceiptKeys } from '../../../gateways/http/receipt-keys.ts';
import { publishedFirstMs, receiptKeysAt } from '../../../actors/receipt-keys/messages.ts';
import { receiptKeys } from '../../../actors/receipt-keys/receipt-keys.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { given } from '../../support/simulated/test-runner.ts';

const seal = sealWith(new Uint8Array(32).fill(7));
let story: ReturnType<typeof begun>;
const begun = () => given(receiptKeys, { id: receiptKeysAt.id, scope: 'system' });

/** One node's view of the one actor there is. */
function node(): ReceiptKeys {
  const client = {
    ask: async (_to: unknown, command: 'open' | 'rotate', data: { x: string; sealed: string }) =>
      story.when(command, data).last.outcome,
    read: async () =>
      story.doc === null ? null : { state: story.state, view: story.view, meta: null, v: story.doc.v },
  } as unknown as Pick<Client, 'ask' | 'read'>;
  return new ReceiptKeys({ client, seal, scheduler: { now: () => story.now } });
}

beforeEach(() => {
  story = begun();
});

test('two nodes that need a key at the same moment use the same one', async () => {
  const signers = await Promise.all([node().signer(), node().signer()]);
  expect(signers.map(({ kid }) => kid)).toEqual(['rk_1', 'rk_1']);
  const [one, other] = signers.map(({ key }) => key.export({ format: 'jwk' }));
  expect(one).toEqual(other);
  expect(story.state.keys).toHaveLength(1);
});

test('no node signs with a key before every other node publishes it', async () => {
  const [mine, theirs] = [node(), node()];
  await theirs.published();
  story.now += 60_000;
  await theirs.published();
  await mine.rotate();
  for (let waited = 0; waited <= publishedFirstMs + 1000; waited += 500) {
    const { kid } = await mine.signer();
    const published = JSON.stringify(await theirs.published());
    expect(published).toContain(`"${kid}"`);
    expect(kid).toBe(waited < publishedFirstMs ? 'rk_1' : 'rk_2');
    story.now += 500;
  }
});

test('a private key is stored sealed, and for its own public half alone', async () => {
  const { key } = await node().signer();
  const { d = '', x = '' } = key.export({ format: 'jwk' });
  const stored = story.state.keys[0]?.sealed ?? '';
  expect(JSON.stringify(story.doc)).not.toContain(d);
  expect(seal.open(stored, `receipt key ${x}`)).toBe(d);
  expect(() => seal.open(stored, 'receipt key of another')).toThrow('does not open');
});
