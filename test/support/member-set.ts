/** A given MongoDB that is a set of three members or more: what only such a set can show is tested where there is one.
 *  Its primary is asked to step down, nothing else is done to it. */
import { MongoClient } from 'mongodb';
import { find } from './server-parts.ts';

const membersMin = 3;
/** The one that is asked steps down for this long. */
const stepDownSeconds = 5;

/** Whether a suite must be skipped; said loudly. */
export async function missingMemberSet(suite: string): Promise<boolean> {
  const found = find('mongod');
  if (found.is === 'given' && (await membersOf(found.url)) >= membersMin) return false;
  process.stdout.write(`\nSKIPPED: ${suite}: NO SET OF THREE MEMBERS (MONGODB_URL)\n`);
  return true;
}

async function membersOf(url: string): Promise<number> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5000 });
  try {
    const { hosts } = await client.db('admin').command({ hello: 1 });
    return Array.isArray(hosts) ? hosts.length : 0;
  } finally {
    await client.close();
  }
}

/** Another member becomes the primary. */
export async function stepDown(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    // the one who is asked may cut the connection instead of answering
    await client
      .db('admin')
      .command({ replSetStepDown: stepDownSeconds, force: true })
      .catch(() => undefined);
  } finally {
    await client.close();
  }
}
