/** The merchants' namespace on the service's own server, over one project of the scene: tickets, a key, a login. */
import type { Socket } from 'socket.io-client';
import type { Login, OpenProject } from '../../../gateways/http/access/logins.ts';
import { refused } from '../../../gateways/http/route/answer.ts';
import { StoreUnresponsive } from '../../../gateways/http/route/reading.ts';
import { merchantNamespacePart, type Merchants } from '../../../gateways/socketio/merchants.ts';
import type { Address } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { scope } from '../../actors/checkout-session/buyer.ts';
import { FakeClient } from '../../support/fake-client.ts';
import { liveTicketAt } from '../../../actors/live-ticket/messages.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { Rig } from './server-rig.ts';
import { Scene } from './scene.ts';
import { unwatched } from '../../support/alone.ts';

export const cookie = '__Host-galla=usr_x.token';
const loginOfScene: Login = {
  userId: 'usr_x',
  sessionId: 'ses_x',
  email: 'asha@example.com',
  role: 'merchant',
  merchantId: 'mer_x',
  merchantIds: ['mer_x'],
};

/** What a screen received, in order. */
export class Watcher {
  readonly heard: (readonly [event: string, body: { readonly [field: string]: unknown }])[] = [];
  refused: unknown = null;
  ended: string | null = null;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.onAny((event: string, body: { readonly [field: string]: unknown }) =>
      this.heard.push([event, body]),
    );
    socket.on('disconnect', (why) => (this.ended = why));
    socket.on('connect_error', (error) => (this.refused = 'data' in error ? error.data : error.message));
  }

  get events(): readonly string[] {
    return this.heard.map(([event]) => event);
  }
}

export class MerchantsRig {
  readonly scene = new Scene();
  readonly keys = new FakeClient();
  readonly keyText: string;
  readonly merchants: Merchants;
  /** null: logged out. */
  login: Login | null = loginOfScene;
  suspended = false;
  /** The store says nothing about keys, tickets and logins. */
  silent = false;
  /** Sessions may have ended. */
  loginsChanged = (): void => undefined;
  /** The bus is connected again. */
  again = (): void => undefined;
  readonly rig: Promise<Rig>;
  private readonly tickets = new Map<string, string>();

  constructor(limits = true) {
    this.keyText = this.keys.issue('sk_test_');
    const { client, ...parts } = this.scene.parts;
    this.merchants = merchantNamespacePart({
      ...unwatched,
      ...parts,
      client: {
        ...client,
        watch: () => () => undefined,
        read: ((to: Address) => this.read(to)) as Client['read'],
        ask: ((to: Address) => this.use(to)) as Client['ask'],
      },
      log: { warn: () => undefined, error: () => undefined },
      limits,
      baseUrl: 'https://pay.example',
      now: () => this.scene.clock.now(),
      logins: {
        onChange: (changed) => void (this.loginsChanged = changed),
        peek: async (header) => this.told(header === cookie ? this.login : null),
        projectFor: async (_login, id) => this.told(id === scope.split(':')[0] ? this.project() : null),
      },
      onReconnect: (again) => {
        this.again = again;
        return () => undefined;
      },
    });
    this.rig = Rig.open({ merchants: this.merchants });
  }

  /** A ticket bought with the key of this project. */
  ticket(): string {
    const ticket = mintId('tkt');
    this.tickets.set(liveTicketAt(ticket).id, 'key_000000000000000000000000');
    return ticket;
  }

  async screen(
    auth: object = { ticket: this.ticket() },
    headers: { readonly [name: string]: string } = {},
  ): Promise<Watcher> {
    return new Watcher((await this.rig).client('/merchant', headers, auth));
  }

  private told<Found>(found: Found): Found {
    if (this.silent) throw new StoreUnresponsive('no answer');
    return found;
  }

  private async read(to: Address): Promise<unknown> {
    if (to.kind === 'project' || to.kind === 'merchant') return this.told(await this.keys.read(to));
    return this.scene.parts.client.read(to, scope);
  }

  private async use({ id }: Address): Promise<AskResult> {
    if (this.silent) return { is: 'unknown' };
    const keyId = this.tickets.get(id);
    if (keyId === undefined || !this.tickets.delete(id))
      return { is: 'refused', code: 'not_found', detail: {} };
    return { is: 'ok', v: 2, detail: { scope, keyId } };
  }

  private project(): OpenProject {
    return {
      projectId: scope.split(':')[0] ?? '',
      name: 'Shop',
      merchantId: 'mer_x',
      merchantName: 'Shop',
      plan: 'free',
      suspension: this.suspended ? refused('account_suspended') : null,
      providers: [],
      createPerSecond: null,
    };
  }
}
