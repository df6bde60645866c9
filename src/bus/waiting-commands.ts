/** The commands of other programs that one node has taken from the stream and not ended: projects take turns.
 *  1. A project holds at most so many commands and bytes here, and never more than is free: what is beyond is refused,
 *     not queued. So commands of some projects that cannot end leave room for those of others.
 *  2. However many commands a project sends, another one waits for `runningMax` of them at most, because one project
 *     runs only some of them at a time. */

/** What one node takes from the stream; more stay there. */
export const takenMax = 32_768;
export const takenBytesMax = 64 * 1024 * 1024;
/** Of one project at one node. */
export const projectCommandsMax = 10_000;
export const projectBytesMax = 1024 * 1024;
/** At work at one node, and of them those of one project. */
export const runningMax = 64;
export const projectRunningMax = 16;

export interface WaitingCommand {
  readonly projectId: string;
  readonly bytes: number;
}

interface Held<Command> {
  commands: number;
  bytes: number;
  running: number;
  readonly queue: Command[];
}

export class WaitingCommands<Command extends WaitingCommand> {
  /** The project whose turn is next comes first. */
  private readonly projects = new Map<string, Held<Command>>();
  private running = 0;
  /** Of all projects. */
  commands = 0;
  bytes = 0;

  /** False: the project holds too many. */
  add(command: Command): boolean {
    const { projectId, bytes } = command;
    const held = this.projects.get(projectId) ?? { commands: 0, bytes: 0, running: 0, queue: [] };
    const commandsMax = Math.min(projectCommandsMax, takenMax - this.commands);
    const bytesMax = Math.min(projectBytesMax, takenBytesMax - this.bytes);
    if (held.commands >= commandsMax || held.bytes + bytes > bytesMax) return false;
    this.commands++;
    held.commands++;
    held.bytes += bytes;
    this.bytes += bytes;
    held.queue.push(command);
    this.projects.set(projectId, held);
    return true;
  }

  /** The next one to work at; undefined: none now. */
  next(): Command | undefined {
    if (this.running >= runningMax) return undefined;
    for (const [projectId, held] of this.projects) {
      if (held.running >= projectRunningMax) continue;
      const command = held.queue.shift();
      if (command === undefined) continue;
      this.projects.delete(projectId);
      this.projects.set(projectId, held);
      held.running++;
      this.running++;
      return command;
    }
    return undefined;
  }

  /** The work at it is over for now: it is held on, and waits outside of the queue. */
  rests({ projectId }: Command): void {
    const held = this.projects.get(projectId);
    if (held === undefined) return;
    held.running--;
    this.running--;
  }

  /** One that rested waits for its turn again. */
  again(command: Command): void {
    this.projects.get(command.projectId)?.queue.push(command);
  }

  /** The work at it is over for good. */
  ended(command: Command): void {
    const held = this.projects.get(command.projectId);
    if (held === undefined) return;
    this.rests(command);
    this.commands--;
    held.commands--;
    held.bytes -= command.bytes;
    this.bytes -= command.bytes;
    if (held.commands === 0) this.projects.delete(command.projectId);
  }
}
