/** The limit: a bare uWebSockets.js route that answers the same bytes as a constant, without authentication. */
import { readFileSync } from 'node:fs';
import { App, us_socket_local_port } from 'uWebSockets.js';

const body = readFileSync(process.env['BODY_FILE'] ?? '', 'utf8');

App()
  .get('/*', (res) => {
    res.cork(() => {
      res
        .writeHeader('Content-Type', 'application/json')
        .writeHeader('X-Request-Id', 'req_z25mwf0rtqd021aznxd0zrex')
        .writeHeader('Api-Version', '2026-11-20')
        .writeHeader('Cache-Control', 'no-store')
        .end(body);
    });
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });
