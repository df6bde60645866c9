/** Initiates a single-node replica set on a fresh mongod on this machine, like `rs.initiate()` in a shell:
 *  for trying out a cluster. Operators initiate production sets themselves. */
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { seconds } from '../kernel/time.ts';

const readyMsMax = seconds(30);
const againMs = 100;

/** `url`: `mongodb://host:port`. Resolves when it is primary; rejects when it is not within 30 s. */
export async function initiateSet(url: string, name: string): Promise<void> {
  const client = new MongoClient(url, { directConnection: true, serverSelectionTimeoutMS: readyMsMax });
  const admin = client.db('admin');
  const until = performance.now() + readyMsMax;
  try {
    const before = await admin.command({ hello: 1 });
    if (before['setName'] === undefined) {
      const members = [{ _id: 0, host: new URL(url).host }];
      await admin.command({ replSetInitiate: { _id: name, members } });
    }
    while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true) {
      if (performance.now() > until) throw new Error(`${url} is not primary within ${readyMsMax} ms`);
      await setTimeout(againMs);
    }
  } finally {
    await client.close();
  }
}
