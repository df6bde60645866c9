/** Looks at a NATS as a node would use it, for `galla doctor`. Creates and changes nothing. */
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  type JetStreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from 'nats';
import { findingsOf, type Finding } from '../kernel/finding.ts';
import { seconds } from '../kernel/time.ts';
import { connectNats, reasonOf } from './nats-connect.ts';
import {
  commandsStream,
  eventsStream,
  isOff,
  jetStreamOff,
  mailboxStream,
  otherReplicas,
} from './nats-streams.ts';
import { warningsOfServer } from './nats-warnings.ts';

const waitMs = seconds(5);
const apiMsMax = seconds(5);
/** Of what JetStream may store: with less left an operator has time to act. */
const leftShareMin = 0.1;

const { ok, unknown, warning, problem } = findingsOf('nats');

/** Never rejects. */
export async function examineNats(url: string, replicas: number): Promise<readonly Finding[]> {
  let nc: NatsConnection;
  try {
    nc = await connectNats(url, 'galla doctor', waitMs);
  } catch (thrown) {
    return [problem(reasonOf(thrown))];
  }
  try {
    return [...serverFindings(nc), ...(await jetStreamFindings(nc, replicas))];
  } finally {
    await nc.close();
  }
}

function serverFindings(nc: NatsConnection): readonly Finding[] {
  const { version = 'unknown', max_payload: bytesMax = 0 } = nc.info ?? {};
  const warnings = warningsOfServer(nc.info);
  return [
    ...(warnings.length > 0
      ? []
      : [ok(`nats-server ${version} at ${nc.getServer()}, messages of up to ${bytesMax} bytes`)]),
    ...warnings.map(({ line }) => warning(line)),
    unknown(
      'no server tells whether it syncs each write: its configuration needs jetstream { sync_interval: always }',
    ),
  ];
}

async function jetStreamFindings(nc: NatsConnection, replicas: number): Promise<readonly Finding[]> {
  try {
    const jsm = await jetstreamManager(nc, { timeout: apiMsMax });
    const names = [mailboxStream, eventsStream, commandsStream];
    const streams = await Promise.all(names.map((name) => streamFinding(jsm, name, replicas)));
    return [await storageFinding(jsm), ...streams];
  } catch (thrown) {
    if (isOff(thrown)) return [problem(jetStreamOff(nc.getServer()))];
    return [problem(`JetStream at ${nc.getServer()} does not answer (${reasonOf(thrown)}): check its log`)];
  }
}

async function storageFinding(jsm: JetStreamManager): Promise<Finding> {
  try {
    const { storage, limits } = await jsm.getAccountInfo();
    const most = limits.max_storage;
    if (most <= 0) return ok(`JetStream stores ${storage} bytes, with no bound of this account`);
    if (storage > most * (1 - leftShareMin))
      return warning(
        `JetStream has stored ${storage} of ${most} bytes: raise max_file_store of the account or server`,
      );
    return ok(`JetStream has stored ${storage} of ${most} bytes`);
  } catch (thrown) {
    if (isOff(thrown)) throw thrown;
    return unknown(`the user of NATS_URL may not ask how much JetStream stores (${reasonOf(thrown)})`);
  }
}

async function streamFinding(jsm: JetStreamManager, name: string, replicas: number): Promise<Finding> {
  try {
    const { config, state, cluster } = await jsm.streams.info(name);
    if (config.num_replicas !== replicas) return warning(`${name}: ${otherReplicas(name, replicas)}`);
    const behind = (cluster?.replicas ?? []).filter(({ current }) => !current).map((one) => one.name);
    if (behind.length > 0)
      return warning(`${name}: replicas on ${behind.join(', ')} are behind: are these servers alive?`);
    return ok(`${name} holds ${state.messages} messages, with ${config.num_replicas} replicas`);
  } catch (thrown) {
    const isAbsent = thrown instanceof JetStreamApiError && thrown.code === JetStreamApiCodes.StreamNotFound;
    if (isAbsent) return ok(`${name} is not there yet: the first node creates it`);
    return problem(
      `${name} cannot be read (${reasonOf(thrown)}): check the permissions of the user in NATS_URL`,
    );
  }
}
