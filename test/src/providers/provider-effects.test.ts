import { describe, expect, test } from 'vitest';
import { socketAddress } from '../../../src/providers/provider-effects.ts';

const [sandbox, live] = ['prj_1:sandbox', 'prj_1:live'] as const;

describe('where a provider socket is reached', () => {
  test.each([
    ['http://127.0.0.1:80/sim/qr_a', 'ws://10.0.0.1:8080/sim/qr_a/ws/x', 'ws://127.0.0.1/sim/qr_a/ws/x'],
    ['http://127.0.0.1:81/sim/qr_a', 'wss://evil.example/ws/x', 'ws://127.0.0.1:81/ws/x'],
  ])('in sandbox under %s: %s is %s', (root, url, reached) => {
    expect(socketAddress(root, sandbox, url)).toBe(reached);
  });

  test.each([
    ['https://qr.example', 'wss://ws.example/ws/x', 'wss://ws.example/ws/x'],
    ['https://qr.example', 'ws://ws.example/ws/x', null],
    ['https://qr.example', 'wss://127.0.0.1/ws/x', null],
    ['https://qr.example', 'wss://localhost:8080/ws/x', null],
    ['https://qr.example', 'https://ws.example/ws/x', null],
    ['http://127.0.0.1:81/sim/qr_a', 'ws://127.0.0.1:81/ws/x', 'ws://127.0.0.1:81/ws/x'],
    ['http://127.0.0.1:81/sim/qr_a', 'ws://ws.example/ws/x', null],
    [null, 'wss://ws.example/ws/x', null],
    ['https://qr.example', 'nonsense', null],
  ])('in live under %s: %s is %s', (root, url, reached) => {
    expect(socketAddress(root, live, url)).toBe(reached);
  });
});
