/** What the way from a commit to the wire is measured against: an event without a commit, sent to a bare
 *  uWebSockets.js stream. Without NATS_URL by a function call in one process; with it by a raw publish of nats.js, a
 *  subject an id, from another process (RAW=says) to the one that has the streams (RAW=writes), which with MONGODB_URL
 *  first reads the session it is about. */
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import { App, us_socket_local_port, type HttpResponse } from 'uWebSockets.js';
import { connected, frameOf, streamHeaders } from '../streaming-frame.ts';
import { serveMaker, sharedMs } from '../streaming-steady.ts';

const { NATS_URL: natsUrl = '', MONGODB_URL: mongodbUrl = '', RAW: does = '' } = process.env;
const frame = frameOf(1);
const streams = new Map<string, HttpResponse>();
const noStreams = { streams: '' };

function tell(id: string, bytes: Uint8Array | string): void {
  const res = streams.get(id);
  res?.cork(() => void res.write(bytes));
}

function serves(ready: (url: string) => void): void {
  App()
    .get('/v1/qr/:id/events', (res, req) => {
      const id = req.getParameter(0) ?? '';
      res.onAborted(() => void streams.delete(id));
      res.onWritable(() => true);
      res.cork(() => {
        for (const [name, value] of Object.entries(streamHeaders)) res.writeHeader(name, value);
        res.write(connected);
      });
      streams.set(id, res);
    })
    .listen('127.0.0.1', 0, (socket) => {
      if (socket === false) throw new Error('no port');
      ready(`http://127.0.0.1:${us_socket_local_port(socket)}`);
    });
}

async function writes(): Promise<void> {
  const nc = await connect({ servers: natsUrl });
  const client = mongodbUrl === '' ? null : await new MongoClient(mongodbUrl).connect();
  const sessions = client?.db().collection<{ _id: string }>('checkout_session');
  nc.subscribe('raw.*', {
    callback(_err, msg) {
      const id = msg.subject.slice('raw.'.length);
      if (sessions === undefined) tell(id, msg.data);
      else
        void sessions
          .findOne({ _id: id }, { readConcern: 'linearizable' })
          .then((found) => void (found !== null && tell(id, frame)));
    },
  });
  await nc.flush();
  serves((url) => void process.stdout.write(`${url}\n`));
}

async function says(): Promise<void> {
  const nc = await connect({ servers: natsUrl });
  serveMaker({
    ...noStreams,
    async make(id) {
      const at = sharedMs();
      nc.publish(`raw.${id}`, frame);
      return at;
    },
  });
}

function calls(url: string): void {
  serveMaker({
    streams: url,
    async make(id) {
      const at = sharedMs();
      tell(id, frame);
      return at;
    },
  });
}

if (natsUrl === '') serves(calls);
else await (does === 'says' ? says() : writes());
