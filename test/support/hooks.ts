/** Webhook endpoints as a merchant uses them, and a server of his that answers by path. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import type { Received, Shop } from '../../src/cli/demo/shop.ts';
import { verifyByHand, verifyStandard } from '../../src/cli/demo/signature.ts';
import { eventually } from './eventually.ts';
import type { House } from './galla.ts';
import type { Merchant } from './merchant.ts';

/** What the server answers to events of a type; `*`: to all others. */
export interface Answers {
  [type: string]: number;
}

/** One endpoint of a merchant of its own. */
export interface Hook {
  readonly shop: Merchant;
  readonly id: string;
  readonly path: string;
  readonly secret: string;
  /** May be changed at any time. */
  readonly answers: Answers;
  /** What has arrived, oldest first. */
  readonly heard: () => readonly Received[];
}

/** Endpoints on one server, each under a path of its own. */
export class Hooks {
  private readonly house: House;
  private readonly server: Shop;
  private readonly answers = new Map<string, Answers>();
  /** Called with each webhook that has arrived, before it is answered. */
  arrived: (received: Received) => void = () => undefined;
  /** How long each answer takes. */
  answersAfterMs = 0;

  private constructor(house: House, server: Shop) {
    this.house = house;
    this.server = server;
    server.answering = async (received) => {
      this.arrived(received);
      if (this.answersAfterMs > 0) await pause(this.answersAfterMs);
      const { path, type } = received;
      const of = this.answers.get(path) ?? {};
      return { status: of[type] ?? of['*'] ?? 200 };
    };
  }

  static async open(house: House): Promise<Hooks> {
    return new Hooks(house, await house.shop());
  }

  /** `shop`: a merchant who is there already. */
  async add(answers: Answers, events: readonly string[] = ['*'], shop?: Merchant): Promise<Hook> {
    const of = shop ?? (await this.house.merchant());
    const path = `/hooks/${this.answers.size}`;
    this.answers.set(path, answers);
    const { id, secret } = await of.endpoint(this.server, events, path);
    const heard = (): readonly Received[] => this.server.webhooks.filter((one) => one.path === path);
    return { shop: of, id, path, secret, answers, heard };
  }

  urlOf({ path }: Hook): string {
    return `${this.server.url}${path}`;
  }
}

export const change = ({ shop, id }: Hook, body: object): Promise<Answer> =>
  shop.api.send('PATCH', `/v1/webhooks/${id}`, { body });

export const recover = ({ shop, id }: Hook, since: number | string): Promise<Answer> =>
  shop.api.post(`/v1/webhooks/${id}/recover`, { since: new Date(since).toISOString() });

export const rotate = ({ shop, id }: Hook, gracePeriodHours?: number): Promise<Answer> =>
  shop.api.post(`/v1/webhooks/${id}/rotate-secret`, { gracePeriodHours });

export const endpointOf = async ({ shop, id }: Hook): Promise<Body> =>
  (await shop.api.must('GET', `/v1/webhooks/${id}`)).body;

/** Once it is disabled or enabled. */
export const untilEnabled = (hook: Hook, enabled: boolean): Promise<Body> =>
  eventually(
    async () => {
      const endpoint = await endpointOf(hook);
      return endpoint.at('enabled') === enabled ? endpoint : null;
    },
    () => `${hook.id} to be ${enabled ? 'enabled' : 'disabled'}`,
  );

/** Deliveries of an endpoint, newest first. */
export const deliveriesOf = async ({ shop, id }: Hook, query = ''): Promise<readonly Body[]> =>
  (await shop.api.must('GET', `/v1/webhooks/${id}/deliveries?limit=100${query}`)).body.list('data');

export const deliveryOf = async ({ shop }: Hook, deliveryId: string): Promise<Body> =>
  (await shop.api.must('GET', `/v1/webhooks/deliveries/${deliveryId}`)).body;

/** The delivery of an event type once it is in this status. */
export const untilDelivery = (hook: Hook, eventType: string, status: string): Promise<Body> =>
  eventually(
    async () => {
      const all = await deliveriesOf(hook, `&eventType=${eventType}`);
      return all.find((one) => one.at('status') === status) ?? null;
    },
    () => `a delivery of ${eventType} that is ${status}`,
  );

/** Once there are `count`. */
export const untilHeard = (hook: Hook, count: number): Promise<readonly Received[]> =>
  eventually(
    () => Promise.resolve(hook.heard().length >= count ? hook.heard() : null),
    () => `${count} webhooks at ${hook.path}; it has ${hook.heard().length}`,
  );

/** Both headers verify under this secret. */
export const verifies = (received: Received, secret: string): boolean => {
  try {
    verifyStandard(received, secret);
    verifyByHand(received, secret);
    return true;
  } catch {
    return false;
  }
};
