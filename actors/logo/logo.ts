/** The picture that a merchant has uploaded. It was checked before it came here.
 *  L1. The view holds no bytes: only a read of the state returns them. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import type { LogoPicture, LogoTypes } from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<LogoTypes>;

export const logo = actor<LogoTypes>('logo', '', {
  schema: 1,
  on: {
    put: {
      by: 'merchant',
      creates: put,
      kept: (s, c, x) => (s.sha256 === c.sha256 && s.format === c.format ? x.ok() : put(c, x)),
      removed: (_s, c, x) => put(c, x),
    },
    remove: {
      by: ['operator', 'merchant'],
      kept: (_s, _c, x) => x.become('removed', {}),
      removed: (_s, _c, x) => x.ok(),
    },
  },
  effects: {},
  timers: {},
  view: (s) =>
    s.status === 'kept' ? { format: s.format, sha256: s.sha256 } : { format: null, sha256: null },
});

export const logoKind = {
  actor: logo,
} as const satisfies Kind;

function put({ format, sha256, bytes }: LogoPicture, x: X): Verdict {
  return x.become('kept', { format, sha256, bytes, updatedAt: x.now });
}
