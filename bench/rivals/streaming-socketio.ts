/** Socket.IO on uWebSockets.js, websocket transport alone: one broadcast to all. */
import { Server } from 'socket.io';
import { App, us_socket_local_port } from 'uWebSockets.js';
import { scan } from '../streaming-frame.ts';

const io = new Server({ transports: ['websocket'], serveClient: false, pingInterval: 600_000 });
const app = App();
io.attachApp(app);
let sent = 0;
app.get('/fan', (res) => {
  setImmediate(() => io.emit('qr.scanned', { ...scan, n: ++sent }));
  res.end('fanned');
});
app.listen('0.0.0.0', 0, (socket) => {
  if (socket === false) throw new Error('no port');
  process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
});
