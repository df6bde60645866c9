/** Who takes part in the demo: the service, a shop with its server, the shop's client. */
import type { Api } from './api.ts';
import type { Service, ServiceOptions } from './service.ts';
import type { Shop } from './shop.ts';
import type { Teller } from './telling.ts';

export interface World {
  readonly teller: Teller;
  readonly shop: Shop;
  readonly options: ServiceOptions;
  /** The running process; another one after the kill. */
  service: Service;
  api: Api;
  /** Shown once, when the webhook endpoint was made. */
  webhookSecret: string;
}
