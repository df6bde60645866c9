/** A client whose only contents are one project's keys: for tests of how often and when doors ask, with their own time. */
import type { KeptKey, ProjectState } from '../../actors/project/messages.ts';
import { keyRows } from '../../actors/project/view.ts';
import type { MerchantState } from '../../actors/merchant/messages.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { Client, HintOutcome, Snapshot } from '../../src/runtime/model/client.ts';
import type { ListQuery, Row } from '../../src/store/store.ts';

const projectId = 'prj_pjc0e83mhrawse3s6h8bhrbw';
const merchantId = 'mer_4t8z1m6q3x9k2v7b4t8z1m6q';

export class FakeClient implements Client {
  readonly incarnation = 'n:fake';
  readonly incarnationsAlive = ['n:fake'];

  settled(): void {
    // this client stores no outcomes
  }

  readonly keys: KeptKey[] = [];
  suspended: { readonly at: number; readonly reason: string } | null = null;
  /** Look-ups of keys so far. */
  lookups = 0;
  readonly asked: { readonly command: string; readonly data: unknown }[] = [];
  /** Set: nothing can be read. */
  silent = false;
  /** Set: look-ups wait for it. */
  gate: Promise<void> | null = null;

  /** Adds a key; returns its text. */
  issue(prefix: string, fields: Partial<KeptKey> = {}): string {
    const text = `${prefix}${String(this.keys.length).padStart(32, '0')}`;
    this.keys.push({
      id: `key_${String(this.keys.length).padStart(24, '0')}`,
      name: null,
      kind: prefix.startsWith('sk') ? 'secret' : 'publishable',
      mode: prefix.includes('live') ? 'live' : 'sandbox',
      access: 'full',
      prefix,
      last4: text.slice(-4),
      sha256: sha256Hex(text),
      apiVersion: '2026-11-20',
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      sequence: 1,
      ...fields,
    });
    return text;
  }

  change(text: string, fields: Partial<KeptKey>): void {
    const at = this.keys.findIndex((key) => key.sha256 === sha256Hex(text));
    const key = this.keys[at];
    if (key !== undefined) this.keys[at] = { ...key, ...fields };
  }

  async ask(_to: unknown, command: string, data: unknown): Promise<AskResult<never, never>> {
    this.asked.push({ command, data });
    return { is: 'ok', v: 1, detail: {} as never };
  }

  async hint(to: unknown, command: string, data: unknown): Promise<HintOutcome> {
    await this.ask(to, command, data);
    return 'arrived';
  }

  eventsUpTo(): number {
    return 0;
  }

  async read<State>({ kind }: { readonly kind: string }): Promise<Snapshot<State> | null> {
    await this.readable();
    const state = kind === 'project' ? this.project() : kind === 'merchant' ? this.merchant() : null;
    if (state === null) return null;
    const meta = { id: projectId, scope: 'system', createdAt: 0 } as const;
    return { state: state as State, meta, view: {}, v: 1 };
  }

  async readStored(): Promise<never> {
    throw new Error('this client reads one by one');
  }

  readRow(): Promise<Row | null> {
    return Promise.resolve(null);
  }

  list(): Promise<{ items: readonly Snapshot[]; total: number }> {
    return Promise.resolve({ items: [], total: 0 });
  }

  async listRows(query: ListQuery): Promise<{ items: readonly Row[]; total: number }> {
    this.lookups++;
    await this.readable();
    const rows = keyRows(this.project(), { id: projectId, scope: 'system', createdAt: 0 });
    const items = rows
      .filter(({ tags }) => query.tags?.every((tag) => tags.includes(tag)) === true)
      .map((row): Row => ({
        kind: row.kind,
        id: row.id,
        owner: { kind: 'project', id: projectId },
        scope: 'system',
        v: 1,
        once: false,
        gone: false,
        created: row.createdAt,
        tags: row.tags,
        body: { ...row.body } as unknown as Row['body'],
      }));
    return { items, total: items.length };
  }

  sumRows(): Promise<{ count: number; sum: number }> {
    return Promise.resolve({ count: 0, sum: 0 });
  }

  newestTagged(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  watch(): () => void {
    return () => undefined;
  }

  watchScope(): () => void {
    return () => undefined;
  }

  now(): number {
    return 0;
  }

  private async readable(): Promise<void> {
    if (this.gate !== null) await this.gate;
    if (this.silent) throw new Error('the disk is away');
  }

  private project(): ProjectState {
    return {
      status: 'ready',
      merchantId,
      name: 'Shop',
      keys: this.keys,
      providers: [],
      seats: { sandbox: [], live: [] },
      offsetMs: 0,
      fired: 0,
    };
  }

  private merchant(): MerchantState {
    const fields = {
      name: 'Shop',
      email: 'shop@example.com',
      plan: 'free',
      projectId,
      verified: false,
      logoUrl: null,
      createPerSecond: null,
      createdAt: 0,
      updatedAt: 0,
    } as const;
    return this.suspended === null
      ? { ...fields, status: 'active' }
      : { ...fields, status: 'suspended', suspension: this.suspended };
  }
}
