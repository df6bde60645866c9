/** Webhooks as a loop of fetch: signed the same way, each try inserted into the same kind of database before the next
 *  event is taken. It has no queue, no order, no endpoints to look up and nothing to try again. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import Database from 'libsql';
import { fixedHeaders, signatureHeaders } from '../../actors/webhook-endpoint/signature.ts';

const database = new Database(join(process.env['FOLDER'] ?? '', 'rival.db'));
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
database.exec(
  `CREATE TABLE tries(id TEXT PRIMARY KEY, endpoint TEXT NOT NULL, event TEXT NOT NULL, at INTEGER NOT NULL,
    status INTEGER NOT NULL, answer TEXT NOT NULL, duration INTEGER NOT NULL) STRICT`,
);
database.exec('CREATE INDEX by_endpoint ON tries(endpoint, at)');
const insert = database.prepare('INSERT INTO tries VALUES (?, ?, ?, ?, ?, ?, ?)');
const body = process.env['EVENT'] ?? '';
const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
let made = 0;

async function one(url: string): Promise<void> {
  const eventId = `evt_${++made}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const from = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...fixedHeaders, ...signatureHeaders({ eventId, timestamp, body, secrets: [secret] }) },
    body,
  });
  const text = (await answer.text()).slice(0, 2048);
  const took = Math.round(performance.now() - from);
  insert.run(`${eventId}:${process.pid}`, 'we_1', eventId, Date.now(), answer.status, text, took);
}

createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://rival');
  const [url, atOnce, seconds] = ['url', 'atOnce', 'seconds'].map((name) => searchParams.get(name) ?? '');
  const until = performance.now() + Number(seconds) * 1000;
  const begun = made;
  const loop = async (): Promise<void> => {
    while (performance.now() < until) await one(url ?? '');
  };
  void Promise.all(Array.from({ length: Number(atOnce) }, loop)).then(() =>
    response.end(JSON.stringify({ count: made - begun })),
  );
}).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
});
