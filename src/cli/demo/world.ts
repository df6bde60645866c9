/** The participants of the demo: a shop with its server, the shop's client, and the service they call. */
import type { Api } from './api.ts';
import type { Cluster } from './cluster.ts';
import type { Service, ServiceOptions } from './service.ts';
import type { Shop } from './shop.ts';
import type { DemoPrinter } from './printer.ts';

export interface World {
  readonly printer: DemoPrinter;
  readonly shop: Shop;
  api: Api;
  /** Shown once, when the webhook endpoint was created. */
  webhookSecret: string;
}

/** The service is one process. */
export interface LoneWorld extends World {
  readonly options: ServiceOptions;
  /** The running process; another one after the kill. */
  service: Service;
}

/** The service is several nodes behind a balancer. */
export interface ClusterWorld extends World {
  readonly cluster: Cluster;
}
