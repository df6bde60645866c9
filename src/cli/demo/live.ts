/** Live: a Direct-QR on a terminal, its stream, and a merchant's socket that sees it all happen. */
import QRCode from 'qrcode';
import { io, type Socket } from 'socket.io-client';
import { EventStream } from './event-stream.ts';
import { eventually, expect } from './printer.ts';
import type { World } from './world.ts';

/** A change as `/merchant` tells it. */
interface Change {
  readonly object: string;
  readonly id: string;
  readonly sequence: number;
  readonly data: { readonly [field: string]: unknown };
}

interface Watch {
  readonly socket: Socket;
  readonly changes: Change[];
  /** Messages in the order they came. */
  readonly heard: string[];
}

interface Shown {
  readonly id: string;
  readonly eventsUrl: string;
}

const patienceMs = 10_000;

export async function showLive(world: World): Promise<void> {
  const { printer } = world;
  printer.chapter('Live');
  const watch = await printer.step('A dashboard opens its socket', () => openWatch(world));
  try {
    const shown = await printer.step('The till shows a code to scan, and follows its stream', () =>
      showCode(world),
    );
    const stream = await EventStream.open(shown.eventsUrl);
    await printer.step('A phone scans it, and pays', () => scanAndPay(world, shown, stream));
    await printer.step('Who connects again is told once more, then to stay away', () => comeAgain(shown));
    await printer.step('The socket saw it all', () => sawItAll(watch, shown));
  } finally {
    watch.socket.disconnect();
  }
}

async function openWatch({ api }: World) {
  const { body } = await api.must('POST', '/v1/live/tickets');
  const auth = { ticket: body.text('ticket') };
  const socket = io(`${api.baseUrl}/merchant`, { transports: ['websocket'], auth, reconnection: false });
  const watch: Watch = { socket, changes: [], heard: [] };
  let refusal: Error | null = null;
  socket.on('connect_error', (error) => (refusal = error));
  socket.onAny((event: string) => watch.heard.push(event));
  socket.on('change', (change: Change) => watch.changes.push(change));
  const today = await new Promise<{ readonly paidCount: number; readonly paidAmount: number }>(
    (resolve, reject) => {
      const timer = setTimeout(() => reject(refusal ?? new Error('no snapshot came')), patienceMs);
      socket.on('snapshot', (snapshot: { readonly today: { paidCount: number; paidAmount: number } }) => {
        clearTimeout(timer);
        resolve(snapshot.today);
      });
    },
  );
  return {
    value: watch,
    facts: [
      ['ticket', 'used once, good for a minute'],
      ['today', `${today.paidCount} paid, ${rupees(today.paidAmount)}`],
    ] as const,
  };
}

async function showCode({ api }: World) {
  const { body, tookMs } = await api.must('POST', '/v1/qr/qr_a', {
    amount: 125_050,
    customer: { name: 'Asha Rai', email: 'asha@example.com' },
    metadata: { order_id: '1003' },
  });
  const code = await QRCode.toString(body.text('qr_message'), { type: 'utf8', errorCorrectionLevel: 'L' });
  return {
    value: { id: body.text('id'), eventsUrl: body.text('events_url') },
    facts: [
      ['session', `${body.text('id')}, in ${Math.round(tookMs)} ms`],
      ['amount', rupees(125_050)],
      ['code', code.trimEnd()],
      ['stream', body.text('events_url')],
    ] as const,
  };
}

async function scanAndPay({ api, shop }: World, { id }: Shown, stream: EventStream) {
  const play = (outcome: string) => api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome });
  await stream.next('connected');
  await play('scanned');
  const scanned = await stream.next('qr.scanned');
  const from = performance.now();
  await play('success');
  const paid = await stream.next('qr.paid');
  const tookMs = Math.round(performance.now() - from);
  await stream.ended();
  const names = stream.events.map(({ event }) => event).join(', ');
  expect(names === 'connected, qr.scanned, qr.paid', `the stream said: ${names}`);
  const webhook = await shop.webhook(({ type, raw }) => type === 'payment.succeeded' && raw.includes(id));
  return {
    value: null,
    facts: [
      ['stream', `connected\n${lineOf(scanned)}\n${lineOf(paid)}`],
      ['told', `${tookMs} ms after the bank was told to pay; the stream ended itself`],
      ['webhook', `${webhook.id}, ${webhook.type}`],
    ] as const,
  };
}

async function comeAgain({ eventsUrl }: Shown) {
  const again = await EventStream.open(eventsUrl);
  const replay = await again.next('qr.paid');
  await again.ended();
  expect(replay.data.includes('"replay":true'), `the replay does not say that it is one: ${replay.data}`);
  const { status } = await EventStream.open(eventsUrl, replay.id);
  expect(status === 204, `the third visit was answered ${status}, not 204`);
  return {
    value: null,
    facts: [
      ['again', lineOf(replay)],
      ['and again', `204 for Last-Event-ID ${replay.id}: a browser comes no more`],
    ] as const,
  };
}

async function sawItAll({ changes, heard }: Watch, { id }: Shown) {
  const paid = await eventually('the paid payment on the socket', patienceMs, async () => {
    const mine = changes.filter(({ object, data }) => object === 'payment' && data['sessionId'] === id);
    return mine.at(-1)?.data['status'] === 'success' ? mine : null;
  });
  expect(heard[0] === 'snapshot', `the first message was ${heard[0] ?? 'none'}`);
  const sequences = paid.map(({ sequence }) => sequence);
  expect(
    sequences.every((sequence, at) => at === 0 || sequence > (sequences[at - 1] ?? 0)),
    `the changes of the payment came as ${sequences.join(', ')}`,
  );
  return {
    value: null,
    facts: [
      ['payment', paid.map(({ sequence, data }) => `${sequence} ${String(data['status'])}`).join(' → ')],
      ['all told', `snapshot, then ${changes.length} changes`],
    ] as const,
  };
}

const lineOf = ({ event, data }: { readonly event: string; readonly data: string }): string => {
  const text = `${event}  ${data}`;
  return text.length > lineMax ? `${text.slice(0, lineMax - 3)}...` : text;
};
const lineMax = 66;

const rupees = (paisa: number): string => `NPR ${(paisa / 100).toFixed(2)}`;
