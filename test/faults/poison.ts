/** An unreadable document affects only its own actor; so does one of a newer version. Damaged in the database itself, behind everybody's
 *  back, and met by nodes that have it not in memory. */
import { MongoClient } from 'mongodb';
import { eventually } from '../support/eventually.ts';
import type { Inflicted } from './cluster-faults.ts';
import { prepareProbes, untilAllServed, type Ground } from './ground.ts';

interface Stored {
  readonly _id: string;
  readonly json: string;
}

const damaged = 3;
/** Two more are of a newer version. */
const changed = 5;
const quietMsMax = 20_000;

export async function poison(ground: Ground): Promise<Inflicted> {
  const { cluster, probe } = ground;
  const ids = await prepareProbes(ground);
  const [sick, newer, healthy] = [ids.slice(0, damaged), ids.slice(damaged, changed), ids.slice(changed)];
  const client = new MongoClient(cluster.mongodbUrl);
  const problems: string[] = [];
  const hurtAt = Date.now();
  try {
    const sessions = client.db().collection<Stored>('checkout_session');
    // who still has something to send would write over the damage
    const whole = await eventually(
      async () => {
        const found = await sessions
          .find({ _id: { $in: ids.slice(0, changed) }, busy: { $exists: false } })
          .toArray();
        return found.length === changed ? found : null;
      },
      () => 'sessions with nothing left to send',
      quietMsMax,
    );
    for (const { _id, json } of whole)
      await sessions.updateOne(
        { _id },
        { $set: { json: newer.includes(_id) ? fromTheFuture(json) : json.slice(0, json.length / 2) } },
      );
    // the nodes drop them from memory
    for (const node of cluster.cluster.nodes) {
      await node.stop();
      await node.restart();
    }
    for (const id of sick) {
      const told = await probe.api.get(`/v1/checkout/${id}`);
      const asked = await probe.api.post(`/v1/checkout/${id}/expire`);
      for (const { status, body } of [told, asked]) {
        if (status !== 500 || body.at('error.code') !== 'internal_error')
          problems.push(`a damaged session answered ${status} ${String(body.at('error.code'))}`);
      }
    }
    for (const id of newer) {
      const told = await probe.api.get(`/v1/checkout/${id}`);
      const asked = await probe.api.post(`/v1/checkout/${id}/expire`);
      for (const { status } of [told, asked])
        if (status !== 503) problems.push(`a session of a newer version answered ${status}`);
    }
    await untilAllServed(ground, healthy, Date.now());
    const said = cluster.output();
    const silent = sick.filter((id) => !said.includes('cannot be read') && !said.includes(id));
    if (silent.length > 0) problems.push('no node says in its log that a document cannot be read');
    if (!said.includes('a newer version of this service wrote this document'))
      problems.push('no node says in its log that a document is of a newer version');
    for (const { _id, json } of whole) await sessions.updateOne({ _id }, { $set: { json } });
  } finally {
    await client.close();
  }
  const note = `${changed} documents; ${healthy.length} others of the same merchant served`;
  return { hurtAt, healedAt: Date.now(), note, problems };
}

const fromTheFuture = (json: string): string => json.replace(/"sv":\d+/, '"sv":99');
