/** The same read on node:http, as its best user would write it: the key's hash looked up in a map, the session found in
 *  a map, its project and mode compared, the JSON made, the same headers. No store is touched. */
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const session = JSON.parse(readFileSync(process.env['BODY_FILE'] ?? '', 'utf8')) as { readonly id: string };
const callers = new Map([
  [hash('sha256', process.env['KEY'] ?? '', 'hex'), { scope: 'prj_1:sandbox', kind: 'secret' }],
]);
const sessions = new Map([[session.id, { scope: 'prj_1:sandbox', view: session }]]);

let drawn = 0;
const prefix = randomBytes(9).toString('hex');
const requestId = (): string => `req_${prefix}${String(++drawn).padStart(6, '0')}`;

const server = createServer((request, response) => {
  const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const caller = key === undefined ? undefined : callers.get(hash('sha256', key, 'hex'));
  if (caller === undefined) return answer(response, 401, '{"error":{"code":"api_key_invalid"}}');
  const id = /^\/v1\/checkout\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? '';
  const found = sessions.get(id);
  if (found === undefined || found.scope !== caller.scope)
    return answer(response, 404, '{"error":{"code":"resource_not_found"}}');
  answer(response, 200, JSON.stringify(found.view));
});

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId(),
    'Api-Version': '2026-11-20',
    'Cache-Control': 'no-store',
  });
  response.end(body);
}

server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
