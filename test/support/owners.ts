/** Which node of a cluster of tests owns an actor. */
import { MongoClient } from 'mongodb';
import { slotCount } from '../../src/kernel/id.ts';
import { slotOfActor } from '../../src/runtime/model/address.ts';
import { reserved } from '../../src/store/mongo-schema.ts';
import { Api } from '../../src/cli/demo/api.ts';
import type { ClusterOfTest } from './cluster.ts';

/** Says of an actor's id whether `node` owns it now. */
export async function ownedBy(cluster: ClusterOfTest, node: number): Promise<(id: string) => boolean> {
  const { key } = cluster.admin;
  const { body } = await new Api(cluster.node(node).url, key).must('GET', '/admin/v1/nodes');
  const incarnation = body
    .list('data')
    .find((each) => each.at('own') !== null)
    ?.text('id');
  const count = Number(body.at('partitions'));
  const client = new MongoClient(cluster.mongodbUrl);
  try {
    const stored = client
      .db()
      .collection<{ readonly _id: number; readonly owner: string | null }>(reserved.partitions);
    const its = await stored.find({ owner: incarnation ?? 'nobody' }).toArray();
    const owned = new Set(its.map(({ _id }) => _id));
    return (id) => owned.has(Math.floor((slotOfActor(id) * count) / slotCount));
  } finally {
    await client.close();
  }
}
