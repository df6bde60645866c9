/** The door of GET /v1/events/stream: who may read, and where in the log the reading starts.
 *  Boundary: checks and the first position; event-stream.ts reads from there on.
 *  1. A secret key, its rate limit and the usual order of checks, as for every route; more than 5 streams
 *     are answered 429.
 *  2. It starts right after `Last-Event-ID` (or `lastEventId`), else at `since`, else with new events only. */
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { disorderMsMax, positionAt, positionOf } from '../../src/runtime/delivery/journal-position.ts';
import { refused, type Refused } from '../http/route/answer.ts';
import type { Auth, Caller } from '../http/access/auth.ts';
import type { Door, DoorReply, DoorRequest } from '../server/door.ts';
import type { ApiVersions } from '../../src/kernel/api-versions.ts';
import { fieldsOf } from '../http/route/fields.ts';
import { isAdmitted, refusalReply, type Gate } from '../http/access/gate.ts';
import { withIgnored } from '../http/route/unknown-names.ts';
import { instantFrom } from '../http/route/instant.ts';
import { queryFrom } from '../http/route/request.ts';
import { invalid } from '../http/route/route.ts';
import type { Headers } from '../http/route/reply.ts';
import type { EventStreams, Following } from './event-stream.ts';
import { streamHeaders } from './frame.ts';
import { eventsKeptFrom } from '../http/event-window.ts';
import { eventStreamQuery } from '../http/schemas/stream.ts';

/** After a 429: a slot is free when a stream ends, which cannot be predicted. */
const retryAfterSeconds = '5';
const fields = fieldsOf(eventStreamQuery);

export interface EventStreamDoorParts {
  readonly gate: Gate;
  readonly auth: Pick<Auth, 'caller'>;
  readonly client: Pick<Client, 'listRows' | 'now'>;
  readonly streams: EventStreams;
  readonly versions: ApiVersions;
}

export const eventStreamDoor = (parts: EventStreamDoorParts): Door => ({
  method: 'GET',
  path: '/v1/events/stream',
  lateHeaders: [],
  handle: (request) => handle(parts, request),
});

async function handle(parts: EventStreamDoorParts, request: DoorRequest): Promise<DoorReply> {
  const { requestId, rawQuery } = request;
  const [authorization, version, sentId] = [
    request.header('authorization'),
    request.header('api-version'),
    request.header('last-event-id'),
  ];
  const noVersion = version === '' && request.emptyHeaders?.has('api-version') !== true;
  const admitted = await parts.gate.admit(request, { key: 'secret', method: 'GET' });
  if (!isAdmitted(admitted)) return admitted;
  const { caller } = admitted;
  if (caller === null) return refusalReply(refused('api_key_missing'), requestId);
  const no = (why: Refused, headers: Headers = admitted.headers): DoorReply =>
    refusalReply(why, requestId, headers);
  const chosen = parts.versions.chosen(noVersion ? null : version, caller.apiVersion);
  if (chosen === null) return no(refused('api_version_unknown'));
  const read = queryFrom(rawQuery, eventStreamQuery, false);
  const query = fields.check(read.values, { mode: caller.mode, allowPrivateHosts: false }, 'values');
  const headers = withIgnored({ ...admitted.headers, ...parts.versions.headers(chosen) }, query.ignored);
  const errors = [...read.errors, ...query.errors];
  if (errors.length > 0) return no(invalid(errors), headers);
  const { lastEventId, since, types } = query.value;
  const place = await placeOf(parts, caller.scope, sentId === '' ? lastEventId : sentId, since);
  if (place === null) return no(refused('event_cursor_gone'), headers);
  const follower = parts.streams.follow({
    scope: caller.scope,
    ...place,
    types: types === undefined ? null : new Set(types.split(',')),
    inVersion: (envelope) => parts.versions.event(chosen, envelope).text,
    allowed: () => stillWorks(parts.auth, caller, request, authorization),
  });
  if (follower === null)
    return no(refused('rate_limit_exceeded'), { ...headers, 'Retry-After': retryAfterSeconds });
  try {
    const stream = await follower.placed();
    return { status: 200, headers: { ...headers, ...streamHeaders }, body: null, stream };
  } catch (thrown) {
    follower.missed();
    throw thrown;
  }
}

/** null: the event is unknown, or older than the retention. */
async function placeOf(
  { client, streams }: EventStreamDoorParts,
  scope: Scope,
  eventId: string | undefined,
  sinceText: string | undefined,
): Promise<Pick<Following, 'after' | 'since'> | null> {
  const keptFrom = eventsKeptFrom(client, scope);
  if (eventId !== undefined) {
    const { items } = await client.listRows({
      kind: 'journal',
      scope,
      equals: { eventId },
      page: 1,
      limit: 1,
    });
    const [event] = items;
    return event === undefined || event.created < keptFrom ? null : { after: positionOf(event), since: 0 };
  }
  const since = sinceText === undefined ? null : instantFrom(sinceText);
  if (since === null) return { after: null, since: 0 };
  if (since < keptFrom) return null;
  const head = await streams.head(scope);
  const after = await positionAt(streams.parts.journalAfter, scope, head, since - disorderMsMax);
  return { after, since };
}

/** Checked while the stream is open: a revoked key ends it. */
async function stillWorks(
  auth: EventStreamDoorParts['auth'],
  { keyId }: Caller,
  { requestId, path, ip }: DoorRequest,
  authorization: string,
): Promise<boolean> {
  const found = await auth.caller({
    requestId,
    path,
    ip,
    method: 'GET',
    params: {},
    rawQuery: '',
    body: Buffer.alloc(0),
    header: (name) => (name === 'authorization' ? authorization : ''),
  });
  return !('is' in found) && found.keyId === keyId;
}
