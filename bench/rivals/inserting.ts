/** The same create on node:http and SQLite, as its best user would write it: prepared statements, WAL with
 *  synchronous=FULL, one commit per request before its answer. With an Idempotency-Key the answer is kept beside the
 *  session in one transaction. It makes no events, no view rows and no timers: all it does is insert. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'libsql';
import { answer, serve, sessionOf, type Creation } from './order.ts';

const database = new Database(join(process.env['FOLDER'] ?? '', 'rival.db'));
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
database.exec(
  `CREATE TABLE sessions(id TEXT PRIMARY KEY, scope TEXT NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL)
   STRICT`,
);
database.exec('CREATE INDEX by_scope ON sessions(scope, created)');
database.exec(
  'CREATE TABLE kept(key TEXT PRIMARY KEY, hash TEXT NOT NULL, answer TEXT NOT NULL) STRICT, WITHOUT ROWID',
);
const insert = database.prepare('INSERT INTO sessions(id, scope, created, body) VALUES (?, ?, ?, ?)');
const keep = database.prepare('INSERT INTO kept(key, hash, answer) VALUES (?, ?, ?)');
const find = database.prepare('SELECT hash, answer FROM kept WHERE key = ?');
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');

serve((creation, response) => {
  const { scope, text, key } = creation;
  if (key === null) return answer(response, 201, stored(creation));
  const kept = find.get(`${scope} ${key}`) as { readonly hash: string; readonly answer: string } | undefined;
  const digest = hash('sha256', text, 'hex');
  if (kept !== undefined) return answer(response, kept.hash === digest ? 201 : 422, kept.answer);
  begin.run();
  const body = stored(creation);
  keep.run(`${scope} ${key}`, digest, body);
  commit.run();
  answer(response, 201, body);
});

function stored({ scope, order }: Creation): string {
  const { id, created, body } = sessionOf(order);
  insert.run(id, scope, created, body);
  return body;
}
