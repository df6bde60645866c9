/** The shop that receives webhooks: takes each at once, or after a delay, or accepts it and never answers.
 *  It verifies nothing: what it costs is nobody's. */
import { App, us_socket_local_port, type HttpResponse } from 'uWebSockets.js';

interface Seen {
  count: number;
  firstMs: number;
  lastMs: number;
  /** From the instant in the event to its arrival. */
  tookMs: number[];
}

const fresh = (): Seen => ({ count: 0, firstMs: 0, lastMs: 0, tookMs: [] });
const keptMax = 20_000;
let seen = fresh();
let delayMs = 0;
let times = false;

const json = (res: HttpResponse, value: unknown): void =>
  void res.cork(() => void res.writeHeader('Content-Type', 'application/json').end(JSON.stringify(value)));

App()
  .post('/hook', (res) => {
    let text = '';
    let gone = false;
    res.onAborted(() => void (gone = true));
    res.onData((chunk, isLast) => {
      if (times) text += Buffer.from(chunk).toString('utf8');
      if (!isLast) return;
      note(text);
      const answer = (): void => void (gone || res.cork(() => void res.end('ok')));
      if (delayMs === 0) answer();
      else setTimeout(answer, delayMs);
    });
  })
  .post('/never', (res) => {
    res.onAborted(() => undefined);
    res.onData(() => undefined);
  })
  .post('/reset', (res, req) => {
    delayMs = Number(req.getQuery('delayMs') ?? 0);
    times = req.getQuery('times') === '1';
    seen = fresh();
    json(res, {});
  })
  .get('/seen', (res) => json(res, seen))
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`http://127.0.0.1:${us_socket_local_port(socket)}\n`);
  });

function note(text: string): void {
  const now = performance.timeOrigin + performance.now();
  if (seen.count++ === 0) seen.firstMs = now;
  seen.lastMs = now;
  if (!times || seen.tookMs.length >= keptMax) return;
  const at = /"timestamp":"([^"]+)"/.exec(text)?.[1];
  if (at !== undefined) seen.tookMs.push(now - Date.parse(at));
}
