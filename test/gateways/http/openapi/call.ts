/** What calls one operation, so that it answers as its example says. */
import type { Answer } from '../../../../src/cli/demo/api.ts';
import type { Galla } from '../../../support/galla.ts';

export interface Stage {
  readonly galla: Galla;
  /** The body of an operation's example. */
  readonly bodyOf: (operation: string) => object;
}

export type Called = Pick<Answer, 'status' | 'headers' | 'text'>;
export type Call = (stage: Stage) => Promise<Called>;
