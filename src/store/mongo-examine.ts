/** Looks at a replica set as a node would use it, for `galla doctor`. Writes nothing. */
import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { findingsOf, type Finding } from '../kernel/finding.ts';
import { hours, realScheduler, seconds, type DurationMs } from '../kernel/time.ts';
import { checkServer, clientOf, databaseOf, hostsOf, notUsable } from './mongo-connect.ts';
import { recordIn, type StoredDoc } from './mongo-record.ts';
import type { Doc } from './store.ts';

const answerMsMax = seconds(5);
/** A member that is further behind makes writes of a majority slow. */
const behindMsMax: DurationMs = seconds(10);
/** A member that was away for longer than the oplog reaches must be copied anew. */
const oplogMsMin: DurationMs = hours(24);

const { ok, unknown, warning, problem } = findingsOf('mongodb');
const clock = findingsOf('clock');

/** What may be looked at only with rights that a node does not need. */
type Look = (admin: Db) => Promise<readonly Finding[]>;

const options: MongoClientOptions = {
  appName: 'galla doctor',
  serverSelectionTimeoutMS: answerMsMax,
  connectTimeoutMS: answerMsMax,
  socketTimeoutMS: answerMsMax,
  readPreference: 'primary',
};

/** Never rejects. `skewMsMax`: how far the clocks may be apart. */
export async function examineMongo(url: string, skewMsMax: DurationMs): Promise<readonly Finding[]> {
  let client: MongoClient;
  try {
    client = clientOf(url, options);
  } catch (thrown) {
    return [problem(lineOf(thrown))];
  }
  const hosts = hostsOf(client);
  try {
    await client.connect();
    const admin = client.db('admin');
    const before = realScheduler.now();
    const hello = await admin.command({ hello: 1 });
    const warnings: Finding[] = [];
    checkServer(hello, hosts, (line) => warnings.push(warning(line)));
    const { version } = (await admin.command({ buildInfo: 1 })) as { readonly version?: string };
    return [
      ok(`replica set ${String(hello['setName'])} at ${hosts}, version ${version ?? 'unknown'}`),
      ...warnings,
      clockFinding(hello['localTime'], before, skewMsMax),
      ...(await looked(members, admin, 'the members')),
      ...(await looked(journaled, admin, 'the configuration of the set')),
      ...(await looked(oplog, client.db('local'), 'the oplog')),
    ];
  } catch (thrown) {
    return [problem(lineOf(notUsable(hosts, thrown)))];
  } finally {
    await client.close();
  }
}

/** Documents of a kind whose scope is `system`, the newest first. Rejects with one line. */
export async function newestDocs(url: string, kind: string, max: number): Promise<readonly Doc[]> {
  const client = clientOf(url, options);
  try {
    const stored = await client
      .db(databaseOf(client, url))
      .collection<StoredDoc>(kind)
      .find({ shelf: 'system' }, { projection: { json: 1 }, maxTimeMS: answerMsMax })
      .sort({ ord: -1, _id: -1 })
      .limit(max)
      .toArray();
    return stored.map((one) => recordIn<Doc>(kind, one));
  } catch (thrown) {
    throw notUsable(hostsOf(client), thrown);
  } finally {
    await client.close();
  }
}

/** As clock-check.ts counts it: the time of the round trip is in the machine's favour. */
function clockFinding(there: unknown, before: number, skewMsMax: DurationMs): Finding {
  if (!(there instanceof Date)) return clock.unknown('MongoDB does not tell its time');
  const apartMs = Math.max(0, before - there.getTime(), there.getTime() - realScheduler.now());
  const text = `this machine's clock and MongoDB's are ${(apartMs / 1000).toFixed(1)} s apart`;
  if (apartMs > skewMsMax)
    return clock.problem(
      `${text}, and a node joins with ${skewMsMax / 1000} s at most: set the clock by NTP`,
    );
  return clock.ok(text);
}

async function looked(look: Look, db: Db, what: string): Promise<readonly Finding[]> {
  try {
    return await look(db);
  } catch (thrown) {
    return [
      unknown(`the user of MONGODB_URL may not look at ${what} (role clusterMonitor): ${lineOf(thrown)}`),
    ];
  }
}

interface Member {
  readonly name: string;
  readonly stateStr: string;
  readonly optimeDate?: Date;
}

const members: Look = async (admin) => {
  const status = (await admin.command({ replSetGetStatus: 1 })) as { readonly members?: readonly Member[] };
  const all = status.members ?? [];
  const newest = Math.max(...all.map(({ optimeDate }) => optimeDate?.getTime() ?? 0));
  const away = all.filter(({ stateStr }) => !['PRIMARY', 'SECONDARY', 'ARBITER'].includes(stateStr));
  const late = all.filter(
    ({ stateStr, optimeDate }) =>
      stateStr === 'SECONDARY' && newest - (optimeDate?.getTime() ?? newest) > behindMsMax,
  );
  const shown = (of: readonly Member[]): string =>
    of.map(({ name, stateStr }) => `${name} (${stateStr})`).join(', ');
  return [
    ...(away.length > 0
      ? [problem(`members do not work: ${shown(away)}: start them, or remove them from the set`)]
      : []),
    ...(late.length > 0
      ? [warning(`members are more than ${behindMsMax / 1000} s behind: ${shown(late)}: look at their disks`)]
      : []),
    ...(away.length + late.length === 0 ? [ok(`members: ${shown(all)}`)] : []),
  ];
};

const journaled: Look = async (admin) => {
  const { config } = (await admin.command({ replSetGetConfig: 1 })) as {
    readonly config?: { readonly writeConcernMajorityJournalDefault?: boolean };
  };
  return config?.writeConcernMajorityJournalDefault === false
    ? [
        warning(
          'writeConcernMajorityJournalDefault is false: a write may be confirmed before it is on disk; set it to true',
        ),
      ]
    : [ok('a write of a majority is confirmed when it is on their disks')];
};

const oplog: Look = async (local) => {
  const entries = local.collection<{ readonly wall?: Date }>('oplog.rs');
  const [first, last] = await Promise.all(
    ([1, -1] as const).map((order) =>
      entries
        .find({}, { maxTimeMS: answerMsMax, projection: { wall: 1 } })
        .sort({ $natural: order })
        .limit(1)
        .next(),
    ),
  );
  if (first?.wall === undefined || last?.wall === undefined) return [unknown('the oplog has no times')];
  const windowMs = last.wall.getTime() - first.wall.getTime();
  const text = `the oplog reaches back ${(windowMs / hours(1)).toFixed(1)} h`;
  // a set that is younger has not filled it
  return windowMs < oplogMsMin
    ? [
        warning(
          `${text}: if it is full already, a member that is away for longer must be copied anew; make it larger`,
        ),
      ]
    : [ok(text)];
};

const lineOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n', 1)[0] ?? '';
