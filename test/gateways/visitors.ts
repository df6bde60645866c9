/** Clients on a thread of their own, so that they come in the midst of a listener's turns: each asks on one new
 *  connection after the other, after a pause of up to 20 ms. */
import { Worker } from 'node:worker_threads';

/** `cut off`: the connection was made, and ended without an answer. */
export type Visit = 'served' | 'refused' | 'cut off';

// a thread takes JavaScript
const visiting = `
const { connect } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const visit = () => new Promise((resolve) => {
  let [connected, text] = [false, ''];
  const socket = connect(workerData.port, '127.0.0.1', () => {
    connected = true;
    socket.write(workerData.request);
  });
  socket.on('data', (bytes) => (text += bytes));
  socket.on('error', () => undefined);
  socket.on('close', () =>
    resolve(!connected ? 'refused' : text.startsWith('HTTP/1.1 200 ') ? 'served' : 'cut off'));
});
const visits = [];
let coming = true;
const client = async () => {
  while (coming) {
    if (visits.push(await visit()) === 1) parentPort.postMessage('here');
    await new Promise((resolve) => setTimeout(resolve, Math.random() * workerData.pauseMsMax));
  }
};
const clients = Promise.all(Array.from({ length: workerData.clients }, client));
parentPort.once('message', async () => {
  coming = false;
  await clients;
  parentPort.postMessage(visits);
});
`;

export class Visitors {
  private readonly worker: Worker;

  private constructor(worker: Worker) {
    this.worker = worker;
  }

  /** They begin to come; resolves when the first one has been there. `request` asks for the connection's end. */
  static async come(port: number, request: string, clients: number): Promise<Visitors> {
    const workerData = { port, request, clients, pauseMsMax: 20 };
    const visitors = new Visitors(new Worker(visiting, { eval: true, workerData }));
    await visitors.said();
    return visitors;
  }

  /** They come no more; what became of each. */
  async leave(): Promise<readonly Visit[]> {
    const visits = this.said();
    this.worker.postMessage('enough');
    const all = await visits;
    await this.worker.terminate();
    return all as readonly Visit[];
  }

  private said(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.worker.once('message', resolve);
      this.worker.once('error', reject);
    });
  }
}
