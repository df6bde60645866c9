/** The door of commands on a running service of one node, without NATS: messages are given to it by hand. */
import { Commands } from '../../../gateways/commands/commands.ts';
import { RefusedCommands } from '../../../gateways/commands/refused-commands.ts';
import { FairQueue } from '../../../gateways/http/access/fair-queue.ts';
import type { ApiParts } from '../../../gateways/http/api-parts.ts';
import { readingClient } from '../../../gateways/http/route/reading.ts';
import { routesOf } from '../../../gateways/http/routes.ts';
import type { CommandEnd, ReceivedCommand } from '../../../src/bus/commands.ts';
import { releases } from '../../../src/kernel/api-releases.ts';
import { ApiVersions } from '../../../src/kernel/api-versions.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import { realScheduler, type Instant } from '../../../src/kernel/time.ts';
import { neverOpens } from '../../../src/runtime/activation/store-breaker.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Galla } from '../../support/galla.ts';

export interface Told {
  readonly id: string;
  readonly status: number;
  readonly replayed: boolean;
  readonly body: { readonly [name: string]: unknown };
}

export interface Message {
  /** `prj_x.sandbox.subscription.sub_y`. */
  readonly to: string;
  readonly command: string;
  readonly body?: object;
  readonly id?: string;
  readonly user?: string;
  readonly at?: string;
  readonly replyTo?: string;
  readonly data?: Uint8Array;
  readonly tooMany?: boolean;
}

export interface CommandRig {
  /** The store's clock is so far ahead. */
  aheadMs: number;
  execute(message: Message): Promise<CommandEnd>;
  /** The outcome; throws if it is to be tried again. */
  told(message: Message): Promise<Told>;
}

let count = 0;

export const received = (message: Message): ReceivedCommand => {
  const { to, command, body, user = 'billing', at = new Date().toISOString(), replyTo = '' } = message;
  return {
    subject: `command.${to}.${user}`,
    id: message.id ?? `id-${++count}`,
    replyTo,
    data: message.data ?? Buffer.from(JSON.stringify({ command, at, body })),
    tooMany: message.tooMany ?? false,
  };
};

export const toldIn = (end: CommandEnd): Told => {
  if (end.is !== 'ended') throw new Error('it is to be tried again');
  return JSON.parse(end.text) as Told;
};

/** `wrap`: what lies between the door and the actors. */
export function commandRig(galla: Galla, wrap: (client: Client) => Client = (client) => client): CommandRig {
  const { node } = galla;
  const client = readingClient(wrap(node.client), neverOpens);
  const log = createLog({ level: 'silent', pretty: false });
  const parts = {
    client,
    scheduler: realScheduler,
    log,
    seal: sealWith(Buffer.alloc(32)),
    versions: new ApiVersions(releases),
    largeBodies: new FairQueue(1),
    allowPrivateHosts: false,
    auth: { onForget: () => undefined },
    baseUrl: galla.url,
    simulate: null,
  };
  const rig: CommandRig = {
    aheadMs: 0,
    execute: (message) => commands.execute(received(message)),
    told: async (message) => toldIn(await rig.execute(message)),
  };
  const storeNow = (): Promise<Instant> => Promise.resolve(Date.now() + rig.aheadMs);
  const refusals = new RefusedCommands({ ...parts, committer: node.committer });
  const routes = routesOf(parts as unknown as ApiParts);
  const commands = new Commands({ ...parts, refusals, storeNow }, routes);
  return rig;
}
