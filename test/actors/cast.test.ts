import { describe, expect, test } from 'vitest';
import { cast, rowKinds } from '../../actors/cast.ts';
import type { AnyActor, Sender } from '../../src/runtime/model/actor.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Envelope } from '../../src/runtime/model/envelope.ts';
import { runTurn } from '../../src/runtime/turn/turn.ts';
import type { Doc } from '../../src/store/store.ts';

const own: Scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const foreign: readonly Scope[] = [
  'prj_zzc0e83mhrawse3s6h8bhrbw:sandbox',
  'prj_pjc0e83mhrawse3s6h8bhrbw:live',
  'system',
];

/** An actor of another scope; a command that passes the runtime's checks finds a state that no transition handles. */
const someones = (kind: string): Doc => ({
  kind,
  id: 'x_abcdef',
  scope: own,
  clock: null,
  slot: 0,
  v: 1,
  e: 1,
  tok: 't',
  sv: 1,
  at: 0,
  created: 0,
  gone: false,
  tags: [],
  body: { status: 'untouched' },
  seen: [],
  out: [],
  oq: 0,
  eseq: 0,
  timers: [],
  wake: null,
  busy: false,
});

/** What one command came to; `threw` when it reached a transition. */
function send(actor: AnyActor, command: string, by: Sender, scope: Scope) {
  let threw = false;
  const envelope: Envelope = {
    to: { kind: actor.kind, id: 'x_abcdef' },
    command,
    data: {},
    by,
    scope,
    deadline: Infinity,
  };
  const { next, answers } = runTurn(actor, 'x_abcdef', someones(actor.kind), [envelope], {
    realNow: 0,
    clockNow: () => 0,
    epoch: 1,
    readByAll: Infinity,
    notesTogether: true,
    placesEvents: false,
    stamp: false,
    tok: 't',
    rowsInCommit: true,
    alone: true,
    envelopeText: () => '',
    eras: [],
    settled: new Set(),
    throws: () => 1,
    onThrow: () => void (threw = true),
  });
  return { next, threw, answer: answers[0] };
}

const sendersOf = (by: Sender | readonly Sender[]): readonly Sender[] => (typeof by === 'string' ? [by] : by);

describe.each(cast.map((actor) => [actor.kind, actor] as const))('%s', (_kind, actor) => {
  const commands = Object.entries(actor.on);

  test.each(commands)('%s from another scope is answered "not found"', (command, { by }) => {
    for (const sender of sendersOf(by)) {
      for (const scope of foreign) {
        expect(send(actor, command, sender, scope)).toMatchObject({
          next: null,
          threw: false,
          answer: { is: 'refused', code: 'not_found' },
        });
      }
    }
  });

  test.each(commands)(
    '%s from a sender that the table does not allow is answered "not found"',
    (command, { by }) => {
      const all: readonly Sender[] = ['merchant', 'buyer', 'provider', 'operator', 'system'];
      for (const sender of all.filter((one) => !sendersOf(by).includes(one))) {
        expect(send(actor, command, sender, own)).toMatchObject({
          next: null,
          threw: false,
          answer: { is: 'refused', code: 'not_found' },
        });
      }
    },
  );

  test('its timers and effects return as its own commands, sent by the system', () => {
    const home = [
      ...Object.values(actor.timers),
      ...Object.values(actor.effects).map(({ result }) => result),
    ];
    for (const command of home) expect(sendersOf(actor.on[command]?.by ?? [])).toContain('system');
  });

  test('it declares at most four fields for list filters', () => {
    expect(actor.indexes?.length ?? 0).toBeLessThanOrEqual(4);
  });
});

test('no two kinds share a name, a prefix or a collection', () => {
  const kinds = [...cast, ...rowKinds].map(({ kind }) => kind);
  const prefixes = cast.map(({ prefix }) => prefix).filter((prefix) => prefix !== '');
  expect(new Set(kinds).size).toBe(kinds.length);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
