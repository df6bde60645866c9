/** Commands that other programs publish on NATS: each is a keyed request of a route of the API, behind its own gate.
 *  Boundary: from a message to its outcome. The stream is src/bus/nats-commands.ts, the commands are offered.ts.
 *  1. The sender is the last part of the subject, which permissions of NATS bound; his projects are bounded alike.
 *     What a message says of itself decides nothing else.
 *  2. Whoever the subject names may do what a secret key of that project and mode may do, as far as it is offered.
 *  3. Identity is user and `Nats-Msg-Id`. What is refused without a record is refused whenever it comes. */
import type { OutsideCommands, CommandEnd, ReceivedCommand } from '../../src/bus/commands.ts';
import { commandSubjectFrom, outcomeSubject, type CommandSubject } from '../../src/bus/subjects.ts';
import { projectBytesMax, projectCommandsMax } from '../../src/bus/waiting-commands.ts';
import { fieldError } from '../../src/errors.ts';
import { couldBeId, mintId } from '../../src/kernel/id.ts';
import type { Seal } from '../../src/kernel/seal.ts';
import type { Instant, Scheduler } from '../../src/kernel/time.ts';
import type { ApiVersions } from '../../src/kernel/api-versions.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Auth, Caller } from '../http/access/auth.ts';
import { callerIn, projectIn, type OpenProject } from '../http/access/logins.ts';
import { TtlCache } from '../http/access/ttl-cache.ts';
import type { FairQueue } from '../http/access/fair-queue.ts';
import { noSuch, refused, type Refused } from '../http/route/answer.ts';
import { refusalReply } from '../http/access/gate.ts';
import { createIdempotency, isIdempotencyKey } from '../http/route/idempotency.ts';
import { instantFrom } from '../http/route/instant.ts';
import { none } from '../http/route/reply.ts';
import { readObject, type JsonObject } from '../http/route/request.ts';
import { invalid, routeMaker } from '../http/route/route.ts';
import type { Route } from '../http/route/spec.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { doorOf, mayRun, offeredOf, verdictName, verdictOf, type Offered } from './offered.ts';
import { ageMsMax, aheadMsMax, commandRecords } from './records.ts';
import type { RefusedCommands } from './refused-commands.ts';

export interface CommandParts {
  /** Whose reads report when the store does not answer: `readingClient`. */
  readonly client: Client;
  readonly seal: Seal;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly versions: ApiVersions;
  readonly largeBodies: FairQueue;
  readonly allowPrivateHosts: boolean;
  /** Notifies when merchants have changed, on any node. */
  readonly auth: Pick<Auth, 'onForget'>;
  /** The store's clock. Rejects when it does not answer. */
  storeNow(): Promise<Instant>;
  readonly refusals: Pick<RefusedCommands, 'keep'>;
}

/** What one message says, as far as it can be read. */
interface Read {
  readonly name: string;
  readonly at: Instant;
  readonly body: JsonObject;
}

/** A request that no listener has received: its caller is known. */
interface CommandRequest extends DoorRequest {
  readonly caller: Caller;
}

interface OfferedDoor {
  readonly offered: Offered;
  readonly door: Door;
}

export class Commands {
  private readonly parts: CommandParts;
  private readonly doors: ReadonlyMap<string, OfferedDoor>;
  private readonly projects: TtlCache<OpenProject>;

  constructor(parts: CommandParts, routes: readonly Route[]) {
    this.parts = parts;
    const { client, scheduler } = parts;
    const make = routeMaker({
      ...parts,
      idempotency: createIdempotency({ ...parts, records: commandRecords }),
      gate: { admit: (request) => ({ caller: (request as CommandRequest).caller, headers: none }) },
    });
    this.doors = new Map(
      offeredOf(routes).map((offered) => [offered.name, { offered, door: doorOf(make, offered) }]),
    );
    this.projects = new TtlCache(
      (id) => projectIn(client, id),
      () => scheduler.now(),
    );
    parts.auth.onForget((projectId) => this.projects.forget(projectId));
  }

  /** Receives what is published, together with all nodes. */
  from(bus: OutsideCommands): () => void {
    return bus.receive((command) => this.execute(command));
  }

  /** What became of one message. Rejects when the store does not answer. */
  async execute(command: ReceivedCommand): Promise<CommandEnd> {
    const of = commandSubjectFrom(command.subject);
    if (of === null) {
      await this.parts.refusals.keep(command, null, invalidSubject);
      return { is: 'ended', subject: null, text: '' };
    }
    const requestId = mintId('req');
    const subject = outcomeSubject(of, command.replyTo);
    const asked = subject === null ? notOwn(of) : await this.asked(of, command);
    const replySubject = subject ?? outcomeSubject(of, '');
    if ('is' in asked) {
      await this.parts.refusals.keep(command, of, asked);
      return ended(replySubject, command.id, refusalReply(asked, requestId));
    }
    const { door, request } = asked;
    const reply = await door.handle({ ...request, requestId } as CommandRequest);
    // not now: another node is at it, or the store does not answer
    if (reply.headers?.['Retry-After'] !== undefined) return { is: 'again' };
    if (reply.status === 404) await this.parts.refusals.keep(command, of, refused('resource_not_found'));
    return ended(replySubject, command.id, reply);
  }

  /** The request that a message makes, or why it makes none. */
  private async asked(of: CommandSubject, command: ReceivedCommand): Promise<Asked | Refused> {
    if (command.tooMany) return tooMany;
    if (!isIdempotencyKey(command.id)) return refused('idempotency_key_invalid', idInvalid);
    const read = readFrom(command.data);
    if ('is' in read) return read;
    const found = this.doors.get(`${of.kind}.${read.name}`);
    if (found === undefined) return notOffered(of, read.name);
    const { idField } = found.offered;
    if (idField !== null && (read.body[idField] ?? of.id) !== of.id)
      return invalid([fieldError(idField, 'invalid_format', 'the id of the subject, or left out')]);
    const project = couldBeId('prj', of.projectId) ? await this.projects.get(of.projectId) : null;
    if (project === null) {
      const message = noSuch('project', of.projectId, null);
      return refused('resource_not_found', { param: 'projectId', message });
    }
    const caller = callerIn(project, of.mode === 'live' ? 'live' : 'sandbox', `nats:${of.user}`);
    const verdict = verdictIn(read, project, await this.parts.storeNow());
    const body = idField === null ? read.body : { ...read.body, [idField]: of.id };
    return { door: found.door, request: requestOf({ of, command, read, caller, verdict, body }) };
  }
}

interface Asked {
  readonly door: Door;
  readonly request: Omit<CommandRequest, 'requestId'>;
}

interface Known {
  readonly of: CommandSubject;
  readonly command: ReceivedCommand;
  readonly read: Read;
  readonly caller: Caller;
  readonly verdict: string;
  readonly body: JsonObject;
}

function requestOf({ of, command, read, caller, verdict, body }: Known): Asked['request'] {
  const headers = new Map([
    ['idempotency-key', command.id],
    ['content-type', 'application/json'],
  ]);
  return {
    caller,
    method: 'POST',
    // with the body all that a repeat must repeat
    path: `${command.subject} ${read.name} ${read.at}`,
    params: { id: of.id, [verdictName]: verdict },
    rawQuery: '',
    header: (name) => headers.get(name) ?? '',
    body: Buffer.from(JSON.stringify(body)),
    ip: '',
  };
}

/** Whether it may run, as of now; the first look at a command decides (offered.ts). */
function verdictIn({ at }: Read, { suspension }: OpenProject, now: Instant): string {
  if (now - at > ageMsMax) return verdictOf(refused('command_expired'));
  if (at - now > aheadMsMax) return verdictOf(invalid([fieldError('at', 'too_large', 'now')]));
  return suspension === null ? mayRun : verdictOf(suspension);
}

function readFrom(data: Uint8Array): Read | Refused {
  const read = readObject(Buffer.from(data));
  if ('refusal' in read) return read.refusal;
  const { command, at, body = {} } = read.object;
  const instant = typeof at === 'string' ? instantFrom(at) : null;
  const errors = [
    ...(typeof command === 'string' ? [] : [fieldError('command', 'required')]),
    ...(instant === null
      ? [fieldError('at', 'invalid_format', 'an ISO 8601 date-time with Z or an offset')]
      : []),
    ...(isObject(body) ? [] : [fieldError('body', 'wrong_type', 'an object')]),
  ];
  if (typeof command !== 'string' || instant === null || !isObject(body)) return invalid(errors);
  return { name: command, at: instant, body };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalidSubject = refused('command_not_offered', {
  message: 'The subject is not command.<projectId>.<mode>.<kind>.<id>.<user>.',
});
const tooMany = refused('rate_limit_exceeded', {
  message:
    `More commands of this project wait at this node than it takes: ${projectCommandsMax}, ` +
    `or ${projectBytesMax / 2 ** 20} MiB, or what it has free.`,
});
const idInvalid = {
  message: 'The header Nats-Msg-Id must be 1 to 255 visible ASCII characters.',
  param: 'Nats-Msg-Id',
};
const notOffered = ({ kind }: CommandSubject, name: string): Refused =>
  refused('command_not_offered', { message: `No command ${name.slice(0, 64)} of ${kind} is offered.` });
const notOwn = (of: CommandSubject): Refused =>
  invalid([fieldError('Reply-To', 'invalid_format', `below outcome.${of.projectId}.${of.user}`)]);

/** The outcome as it is published. */
function ended(subject: string | null, id: string, { status, body, headers }: DoorReply): CommandEnd {
  const isReplayed = headers?.['Idempotent-Replayed'] === 'true';
  const text = typeof body === 'string' ? body : Buffer.from(body ?? '{}').toString('utf8');
  const head = JSON.stringify({ id, status, replayed: isReplayed }).slice(0, -1);
  return { is: 'ended', subject, text: `${head},"body":${text}}` };
}
