/** GET /v1/qr/{id}/events: the events of a Direct-QR session, for any client that knows its id.
 *  1. A reader joins the topic before the session is read: a commit in between is noticed.
 *  2. A stream sends `connected` first, sends each event once, ends after one terminal event, and sends
 *     nothing after.
 *  3. An ended session is sent as a replay in one complete answer; a reader that has had that replay is
 *     answered 204, after which a browser stops reconnecting.
 *  4. A stream that cannot be served now is answered 200 with a time to reconnect: browsers give up for
 *     good on any other status. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { QrEvent } from '../../actors/checkout-session/qr-events.ts';
import type { HiddenSession, SessionState } from '../../actors/checkout-session/state.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { days, type DurationMs } from '../../src/kernel/time.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { noSuch } from '../http/route/answer.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import { StoreUnresponsive } from '../http/route/reading.ts';
import { anyOrigin, errorReply } from '../http/route/reply.ts';
import { connectedFrame, eventFrame, tryLaterReply, openStreamHeaders } from './frame.ts';
import { BatchLoader } from '../live/batch-loader.ts';
import type { Hub } from './hub.ts';
import type { TopicContent } from './topic.ts';

/** How long after its end the stream of a session can be opened. */
const openAfterEndMs: DurationMs = days(90);
/** Sessions of many readers are read in batches: ids per read, and reads at once. */
const sessionsPerRead = 64;
const readsAtOnceMax = 4;

/** A Direct-QR session as its readers see it. */
export class QrContent implements TopicContent {
  readonly id: string;
  readonly v: number;
  readonly status: SessionState['status'];
  readonly last: number;
  readonly over: boolean;
  /** The session ended too long ago to be read. */
  readonly expired: boolean;
  private readonly log: readonly QrEvent[];

  constructor({ state, meta, v }: Snapshot<SessionState>, expired: boolean) {
    const log = state.qrLog;
    this.id = meta.id;
    this.v = v;
    this.status = state.status;
    this.log = log;
    this.expired = expired;
    this.last = log.at(-1)?.n ?? 0;
    this.over = log.some(isTerminal);
  }

  /** A late payment may have followed an expiry: one stream has one terminal event, the newest. */
  get end(): QrEvent | null {
    return this.log.findLast(isTerminal) ?? null;
  }

  get scan(): QrEvent | null {
    return this.log.find(({ event }) => event === 'qr.scanned') ?? null;
  }

  after(at: number): Buffer {
    const { end } = this;
    const news = this.log.filter((event) => event.n > at && (event === end || !isTerminal(event)));
    return Buffer.from(news.map(({ n, event, data }) => eventFrame(`${n}`, event, dataOf(data))).join(''));
  }
}

/** Reads a session as a feed; null when there is none, when it is no Direct-QR session, or not one yet. */
export function qrReader(
  client: Pick<Client, 'read' | 'readStored' | 'now'>,
): (id: string) => Promise<QrContent | null> {
  const content = (found: Session): QrContent | null => contentOf(found, client.now(found.meta.scope));
  const gathered = new BatchLoader<QrContent | null>({
    async one(id) {
      const found = await client.read<SessionState | HiddenSession>(checkoutSessionAt(id), null);
      return found === null ? null : content(found);
    },
    async many(ids) {
      const found = await client.readStored<SessionState | HiddenSession>('checkout_session', ids);
      return new Map([...found].map(([id, session]) => [id, content(session)]));
    },
    idsMax: sessionsPerRead,
    readsMax: readsAtOnceMax,
  });
  return (id) => gathered.read(id);
}

type Session = Snapshot<SessionState | HiddenSession>;

/** The same from what a notice carries. */
export const qrContentOf =
  (client: Pick<Client, 'now'>) =>
  (seen: Snapshot): QrContent | null =>
    contentOf(seen as unknown as Session, client.now(seen.meta.scope));

function contentOf({ state, ...of }: Session, now: number): QrContent | null {
  if (state.status === 'hidden' || state.order.source !== 'direct_qr') return null;
  const expired = 'endedAt' in state && state.endedAt + openAfterEndMs <= now;
  return new QrContent({ ...of, state }, expired);
}

export interface QrEventsParts {
  /** Reads with `qrReader`. */
  readonly hub: Hub;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

const path = '/v1/qr/{id}/events';

export const qrEventsDoor = (parts: QrEventsParts): Door => ({
  method: 'GET',
  path,
  lateHeaders: [],
  unavailable: tryLater,
  handle: (request) => handle(parts, request),
});

const tryLater = (): DoorReply => tryLaterReply(openStreamHeaders);

/** For the listener, before any door is mounted: null where this path is no stream. */
export const qrEventsNotYet = (asked: string): DoorReply | null =>
  /^\/v1\/qr\/[^/]+\/events$/.test(asked) ? tryLater() : null;

async function handle({ hub, log }: QrEventsParts, request: DoorRequest): Promise<DoorReply> {
  const id = request.params['id'] ?? '';
  const lastEventId = request.header('last-event-id');
  const { requestId } = request;
  if (!couldBeId('cs', id)) return notFound(requestId, id);
  const reader = hub.join(id, request.ip);
  if (reader === null) return tryLater();
  let begins = false;
  try {
    const content = await hub.look(reader);
    if (!(content instanceof QrContent) || content.expired) return notFound(requestId, id);
    if (content.over) return endReply(content, lastEventId);
    begins = true;
    const stream = reader.starting(beginning(content, lastEventId), content.last);
    return { status: 200, headers: openStreamHeaders, body: null, stream };
  } catch (thrown) {
    const level = thrown instanceof StoreUnresponsive ? 'warn' : 'error';
    log[level]({ err: thrown, requestId, route: `GET ${path}` }, 'a stream cannot be opened now');
    return tryLater();
  } finally {
    if (!begins) reader.leave();
  }
}

/** The first bytes of the stream of an open session. */
function beginning(content: QrContent, lastEventId: string): string {
  const { scan } = content;
  const knows = positionIn(lastEventId, content.last) > 0;
  if (scan === null || knows) return connected(content);
  return connected(content) + eventFrame(`${scan.n}`, scan.event, dataOf({ ...scan.data, replay: true }));
}

function endReply(content: QrContent, lastEventId: string): DoorReply {
  const { end } = content;
  if (end === null) return tryLater();
  const id = `${end.n}-replay`;
  if (lastEventId === id) return { status: 204, headers: anyOrigin, body: null };
  const replay = eventFrame(id, end.event, dataOf({ ...end.data, replay: true }));
  return { status: 200, headers: openStreamHeaders, body: connected(content) + replay };
}

const connected = ({ id, status }: QrContent): string => connectedFrame({ id, status });

const dataOf = (data: object): string => JSON.stringify(data);

const isTerminal = ({ event }: QrEvent): boolean => event !== 'qr.scanned';

/** 0 for a value that is no position of this log. */
function positionIn(lastEventId: string, last: number): number {
  const position = /^[1-9]\d{0,8}$/.test(lastEventId) ? Number(lastEventId) : 0;
  return position <= last ? position : 0;
}

const notFound = (requestId: string, id: string): DoorReply =>
  errorReply(
    'resource_not_found',
    requestId,
    { param: 'id', message: noSuch('Direct-QR session', id, null) },
    anyOrigin,
  );
