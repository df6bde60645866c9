/** A billing job that needs no HTTP: it cancels subscriptions at the end of their period, by commands over NATS.
 *
 *    NATS_PASSWORD=... node docs/guides/billing-job.mjs nats://127.0.0.1:4222 prj_ID job.json sub_1 sub_2
 *
 *  job.json holds what it has sent. Start it again with the same file as often as you like, also after a crash: what was
 *  sent is sent again as it was, is executed once, and its outcome is told again. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { jetstream } from '@nats-io/jetstream';
import { connect, headers } from 'nats';

const [servers, project, file, ...subscriptions] = process.argv.slice(2);
const user = 'billing';
const outcomes = `outcome.${project}.${user}`;
const replyTo = `${outcomes}.job`;

// before anything is sent: a repeat needs the same id and the same time
const sent = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
for (const id of subscriptions) sent[id] ??= { msgID: randomUUID(), at: new Date().toISOString() };
writeFileSync(file, JSON.stringify(sent));

const pass = process.env.NATS_PASSWORD;
const nc = await connect({ servers, user, pass, inboxPrefix: outcomes, maxReconnectAttempts: -1 });
const told = nc.subscribe(replyTo);
const waiting = new Map(subscriptions.map((id) => [sent[id].msgID, id]));

async function send(id) {
  const { msgID, at } = sent[id];
  const command = { command: 'cancel', at, body: { atPeriodEnd: true } };
  const given = headers();
  given.set('Reply-To', replyTo);
  const subject = `command.${project}.sandbox.subscription.${id}.${user}`;
  await jetstream(nc).publish(subject, JSON.stringify(command), { msgID, headers: given });
}

// an outcome may be told while nobody hears it, and NATS may lose what it has acknowledged: send it again
const sendWaiting = () => {
  for (const id of waiting.values()) send(id).catch((failure) => console.error(id, failure.message));
};
sendWaiting();
const again = setInterval(sendWaiting, 10_000);

for await (const msg of told) {
  const { id, status, body } = msg.json();
  const subscription = waiting.get(id);
  if (subscription === undefined) continue;
  console.log(subscription, status, body.error?.code ?? `cancelAtPeriodEnd ${body.cancelAtPeriodEnd}`);
  waiting.delete(id);
  if (waiting.size === 0) break;
}
clearInterval(again);
await nc.close();
