/** Authentication: maps a bearer token to a project, mode and access.
 *  Boundary: knows keys and whether they are valid now; gate.ts and the actors decide what a caller may
 *  reach.
 *  1. Only the SHA-256 of a key is looked up or cached.
 *  2. The cache is a TtlCache: revocation and suspension take effect within 5 s, and unknown keys evict no
 *     known one. A text that is no key costs no look-up. */
import { hash } from 'node:crypto';
import { merchantAt, type MerchantState } from '../../../actors/merchant/messages.ts';
import {
  inPageOrder,
  projectAt,
  type ProjectState,
  type ProviderSettings,
} from '../../../actors/project/messages.ts';
import { keyTag } from '../../../actors/project/view.ts';
import type { Bus } from '../../../src/bus/bus.ts';
import { equalInConstantTime, sha256Hex } from '../../../src/kernel/hash.ts';
import { iso, minutes, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { scopeOf, type Mode, type Scope } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import { refused, unavailable, type Refused } from '../route/answer.ts';
import type { DoorRequest } from '../../server/door.ts';
import { TooManyReads, TtlCache } from './ttl-cache.ts';

const useReportedEveryMs: DurationMs = minutes(1);

/** The project and access that a key stands for. */
export interface Caller {
  readonly projectId: string;
  readonly mode: Mode;
  readonly scope: Scope;
  readonly kind: 'secret' | 'publishable';
  readonly access: 'full' | 'read';
  readonly keyId: string;
  /** The e-mail of the dashboard's login that takes the place of a key; absent for a key. */
  readonly login?: string;
  readonly merchantId: string;
  /** The merchant's plan. */
  readonly plan: MerchantState['plan'];
  /** What its key is pinned to; for a route, the version of the request. */
  readonly apiVersion: string;
  /** All of this mode, in the order of the page, as old as the caller's cache entry. */
  readonly providers: readonly ProviderSettings[];
  /** Set by the operator; null = the default limit. */
  readonly createPerSecond: number | null;
}

export interface Auth {
  /** The caller of a request, or the reason there is none. Returns a plain value, not a promise, when the
   *  answer is cached. */
  caller(request: DoorRequest): Caller | Refused | Promise<Caller | Refused>;
  /** null when the operator's token is correct. */
  operator(request: DoorRequest): Refused | null;
  /** Clears the cache, and asks the other nodes to do the same: a change takes effect at once. A node that
   *  misses the message sees the change when its entries expire. `projectId`: only what concerns this
   *  project, so that a merchant's own changes cost the others nothing; everything by default. */
  forget(projectId?: string): void;
  /** Calls `listener` each time a node's request clears the cache, this node's included: other caches of
   *  merchants or projects must then be cleared, too. */
  onForget(listener: Forgotten): void;
}

/** Without a project: all of them. */
type Forgotten = (projectId?: string) => void;

export interface AuthOptions {
  readonly client: Client;
  readonly adminToken: string;
  /** Real time. */
  readonly now: () => Instant;
  /** Connection to the other nodes of a cluster; null: single node. */
  readonly others: Pick<Bus, 'broadcast' | 'onBroadcast'> | null;
  /** The log of requests: while it is full, no key may do anything. Without it nothing is logged. */
  readonly requests?: { readonly full: boolean };
}

/** Message between nodes when keys or merchants have changed: the project, or '' for all. */
const keysChanged = 'keys';

interface Known {
  readonly caller: Caller;
  /** Reasons a key is invalid, except expiry, which is checked against the time. */
  readonly refusal: Refused | null;
  readonly expiresAt: Instant | null;
  /** When its use was last recorded; null when not yet. */
  useReportedAt: Instant | null;
}

export function createAuth(options: AuthOptions): Auth {
  const { others } = options;
  const auth = new KeyAuth(options, (projectId = '') => others?.broadcast(keysChanged, projectId));
  others?.onBroadcast(keysChanged, (projectId) => auth.forgetHere(projectId === '' ? undefined : projectId));
  return auth;
}

const keyForm = /^[ps]k_(?:test|sandbox|live)_[0-9A-Za-z]{8,128}$/;
const bearer = /^Bearer +(\S.*)$/i;

/** The text after `Bearer`; null when there is none. A repeated or padded one simply matches no key. */
function bearerOf(request: DoorRequest): string | null {
  return bearer.exec(request.header('authorization'))?.[1]?.trimEnd() ?? null;
}

/** Nearly all clients use this one spelling, which needs no regular expression. */
function keyIn(request: DoorRequest): string | null {
  const text = request.header('authorization');
  const usual = text.startsWith('Bearer ') && text.charCodeAt('Bearer '.length) > space;
  return usual ? text.slice('Bearer '.length).trimEnd() : bearerOf(request);
}
const space = 0x20;

class KeyAuth implements Auth {
  private readonly client: Client;
  private readonly adminTokenHash: string;
  private readonly now: () => Instant;
  private readonly notifyOtherNodes: Forgotten;
  private readonly requests: AuthOptions['requests'];
  /** By SHA-256 in base64. */
  private readonly keys: TtlCache<Known>;
  private readonly listeners: Forgotten[] = [];

  constructor({ client, adminToken, now, requests }: AuthOptions, notifyOtherNodes: Forgotten) {
    this.client = client;
    this.requests = requests;
    this.adminTokenHash = sha256Hex(adminToken);
    this.now = now;
    this.notifyOtherNodes = notifyOtherNodes;
    this.keys = new TtlCache((key, before) => this.read(key, before), now);
  }

  caller(request: DoorRequest): Caller | Refused | Promise<Caller | Refused> {
    const text = keyIn(request);
    if (text === null) return refused('api_key_missing');
    if (!keyForm.test(text)) return refused('api_key_invalid');
    const key = hash('sha256', text, 'base64');
    const now = this.now();
    const known = this.keys.known(key, now);
    if (known === undefined) return this.resolve(key, request);
    request.keyUsed = known?.caller;
    return this.judge(known, now);
  }

  operator(request: DoorRequest): Refused | null {
    const text = bearerOf(request) ?? '';
    return equalInConstantTime(sha256Hex(text), this.adminTokenHash) ? null : refused('admin_token_invalid');
  }

  forget(projectId?: string): void {
    this.forgetHere(projectId);
    this.notifyOtherNodes(projectId);
  }

  forgetHere(projectId?: string): void {
    if (projectId === undefined) this.keys.forget();
    else this.keys.forgetWhere(({ caller }) => caller.projectId === projectId);
    for (const listener of this.listeners) listener(projectId);
  }

  onForget(listener: Forgotten): void {
    this.listeners.push(listener);
  }

  private async resolve(key: string, request: DoorRequest): Promise<Caller | Refused> {
    try {
      const known = await this.keys.get(key);
      request.keyUsed = known?.caller;
      return this.judge(known, this.now());
    } catch (thrown) {
      if (thrown instanceof TooManyReads) return unavailable;
      throw thrown;
    }
  }

  private judge(known: Known | null, now: Instant): Caller | Refused {
    if (known === null) return refused('api_key_invalid');
    const { refusal, expiresAt, caller } = known;
    if (refusal?.code === 'api_key_revoked') return refusal;
    if (expiresAt !== null && expiresAt <= now) return refused('api_key_expired');
    if (refusal !== null) return refusal;
    if (this.requests?.full === true) return unavailable;
    this.used(known, now);
    return caller;
  }

  private async read(key: string, before: Known | null): Promise<Known | null> {
    const tag = keyTag(Buffer.from(key, 'base64').toString('hex'));
    const { items } = await this.client.listRows({
      kind: 'api_key',
      scope: 'system',
      tags: [tag],
      page: 1,
      limit: 1,
    });
    const row = items[0];
    if (row === undefined) return null;
    const project = await this.client.read<ProjectState>(projectAt(row.owner.id), 'system');
    if (project === null) return null;
    const merchant = await this.client.read<MerchantState>(merchantAt(project.state.merchantId), 'system');
    if (merchant === null) return null;
    // last: its use may have been recorded during the reads
    return knownOf(row, project.state, merchant.state, before?.useReportedAt ?? null);
  }

  /** `lastUsedAt` costs a commit, so it is recorded once a minute and never awaited. */
  private used(known: Known, now: Instant): void {
    const { useReportedAt, caller } = known;
    const { keyId, projectId } = caller;
    if (useReportedAt !== null && now - useReportedAt < useReportedEveryMs) return;
    known.useReportedAt = now;
    const asking = { by: 'system', scope: 'system', idempotent: true } as const;
    void this.client.ask(projectAt(projectId), 'keyUsed', { keyId }, asking);
  }
}

function knownOf(
  row: Row,
  project: ProjectState,
  merchant: MerchantState,
  useReportedAt: Instant | null,
): Known {
  const key = project.keys.find(({ id }) => id === row.id);
  const { mode: modeText, kind, access, apiVersion } = row.body;
  const mode: Mode = modeText === 'live' ? 'live' : 'sandbox';
  return {
    useReportedAt: useReportedAt,
    expiresAt: key?.expiresAt ?? null,
    refusal: refusalOf(key === undefined || key.revokedAt !== null, merchant),
    caller: {
      projectId: row.owner.id,
      plan: merchant.plan,
      mode,
      scope: scopeOf(row.owner.id, mode),
      kind: kind === 'secret' ? 'secret' : 'publishable',
      access: access === 'full' ? 'full' : 'read',
      keyId: row.id,
      merchantId: project.merchantId,
      apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
      providers: inPageOrder(project.providers, mode),
      createPerSecond: merchant.createPerSecond,
    },
  };
}

function refusalOf(revoked: boolean, merchant: MerchantState): Refused | null {
  if (revoked) return refused('api_key_revoked');
  if (merchant.status !== 'suspended') return null;
  const { at, reason } = merchant.suspension;
  return refused('account_suspended', { suspension: { suspended_at: iso(at), reason } });
}
