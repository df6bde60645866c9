/** A cluster with one more node in this process, which has gateways and no actors: it sends commands for which there
 *  is no request, like opening the session of an invoice. */
import { randomBytes } from 'node:crypto';
import { start, type Galla } from '../../src/main.ts';
import { startCluster, type ClusterOfTest } from './cluster.ts';

export interface ClusterWithGateway {
  readonly cluster: ClusterOfTest;
  readonly gateway: Galla;
  readonly stop: () => Promise<void>;
}

/** `onFatal` receives why the node in this process could not go on. */
export async function startWithGateway(
  nodes: number,
  onFatal: (line: string) => void,
): Promise<ClusterWithGateway> {
  const shared = { GALLA_SECRETS_KEY: randomBytes(32).toString('base64') };
  let natsUrl = '';
  const cluster = await startCluster({
    nodes,
    env: shared,
    beforeNodes: (servers) => {
      ({ natsUrl } = servers);
      return Promise.resolve();
    },
  });
  try {
    const env = {
      ...shared,
      PORT: '0',
      BASE_URL: cluster.url,
      NATS_URL: natsUrl,
      MONGODB_URL: cluster.mongodbUrl,
      GALLA_ADMIN_TOKEN: randomBytes(24).toString('hex'),
      GALLA_ROLES: 'gateways',
      LOG_LEVEL: 'silent',
    };
    const gateway = await start({ env, onFatal });
    return {
      cluster,
      gateway,
      async stop() {
        await gateway.stop();
        await cluster.stop();
      },
    };
  } catch (failure) {
    await cluster.stop();
    throw failure;
  }
}
