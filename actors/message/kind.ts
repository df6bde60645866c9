/** The kind of messages: e-mails and SMS. */
import type { Kind } from '../kind.ts';
import { message } from './message.ts';

export const messageKind = { actor: message } as const satisfies Kind;
