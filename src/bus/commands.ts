/** The port for commands that other programs publish (stream COMMANDS). Embedded there is none: there is no NATS.
 *  1. A command is received until it has ended, by one node at a time as a rule, by two after a fault: whoever executes
 *     it must know a repeat.
 *  2. Its outcome is told before it is removed. */
import type { Cancel } from '../kernel/time.ts';

export interface ReceivedCommand {
  readonly subject: string;
  /** `Nats-Msg-Id`; '' without one. */
  readonly id: string;
  /** `Reply-To`: where the outcome is to be told; '' without one. */
  readonly replyTo: string;
  readonly data: Uint8Array;
  /** More of its project wait than may: it is to be refused. */
  readonly tooMany: boolean;
}

/** How the look at one command ended: with an outcome to be told, or not yet. */
export type CommandEnd =
  | { readonly is: 'again' }
  /** `subject`: null where nobody can be told. */
  | { readonly is: 'ended'; readonly subject: string | null; readonly text: string };

export type ExecuteCommand = (command: ReceivedCommand) => Promise<CommandEnd>;

export interface OutsideCommands {
  /** Receives commands, together with all nodes, until it is cancelled. */
  receive(execute: ExecuteCommand): Cancel;
}
