/** A client that sends one operation again and again under its Idempotency-Key, and keeps what it was answered.
 *  Boundary: sends; repeated.test.ts judges. */
import { idempotencyKeyAt } from '../../../../actors/idempotency-key/messages.ts';
import { canonicalJson } from '../../../../src/kernel/canonical-json.ts';
import { sha256Hex } from '../../../../src/kernel/hash.ts';
import { Api, type Answer, type Sending } from '../../../../src/cli/demo/api.ts';
import type { Galla } from '../../../support/galla.ts';
import { Merchant } from '../../../support/merchant.ts';

/** The answers to one operation, in the order of the requests. */
export interface Repeated {
  /** While a request with this key was running. */
  readonly running: Answer;
  readonly first: Answer;
  readonly again: Answer;
  /** The same key with another body. */
  readonly other: Answer;
  /** Once more with the first body, after the other one. */
  readonly last: Answer;
  readonly inspected: Answer;
}

/** The operation to watch, and what came of it. */
export interface Watch {
  readonly path: RegExp;
  /** false: it is sent once, without a key. */
  readonly again: boolean;
  merchant: Api | null;
  found: Repeated | null;
}

let keys = 0;
const newKey = (): string => `repeated-${++keys}`;

class RepeatingApi extends Api {
  private readonly projectId: string;
  private readonly galla: Galla;
  private readonly watch: Watch;

  constructor(base: Api, projectId: string, galla: Galla, watch: Watch) {
    super(base.baseUrl, base.key);
    this.projectId = projectId;
    this.galla = galla;
    this.watch = watch;
  }

  override async send(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    if (method !== 'POST' || !this.watch.path.test(path)) return super.send(method, path, sending);
    this.watch.merchant = this;
    if (!this.watch.again) return super.send(method, path, sending);
    const body = (sending.body ?? {}) as object;
    const post = (idempotencyKey: string, more: Sending = sending): Promise<Answer> =>
      super.send(method, path, { ...more, idempotencyKey });
    const key = newKey();
    const [running, first] =
      path === '/v1/checkout'
        ? await this.whileAtStore(() => post(key))
        : [await this.whileRecordRuns(path, body, post), await post(key)];
    const again = await post(key);
    // an unknown field is ignored, and makes another body
    const other = await post(key, { ...sending, body: { ...body, another: true } });
    const last = await post(key);
    const inspected = await super.send('GET', `/v1/idempotency/${key}`);
    this.watch.found = { running, first, again, other, last, inspected };
    return first;
  }

  /** The session is the record of its key: the first request waits for the store while the second one comes. */
  private async whileAtStore(post: () => Promise<Answer>): Promise<readonly [Answer, Answer]> {
    const { committer } = this.galla.node;
    const submit = committer.submit.bind(committer);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      committer.submit = async (write, deferrable) => {
        if (write.doc.kind === 'checkout_session') resolve();
        await released;
        return submit(write, deferrable);
      };
    });
    const first = post();
    await reached;
    const running = await post();
    committer.submit = submit;
    release();
    return [running, await first];
  }

  private async whileRecordRuns(
    path: string,
    body: object,
    post: (key: string) => Promise<Answer>,
  ): Promise<Answer> {
    const busy = newKey();
    await this.begin(busy, path, body);
    return post(busy);
  }

  /** A request with this key has begun, and its handler is still at work. */
  private async begin(key: string, path: string, body: object): Promise<void> {
    const { node } = this.galla;
    const scope = `${this.projectId}:sandbox` as const;
    const begun = await node.client.ask(
      idempotencyKeyAt(scope, 'POST', path, key),
      'begin',
      {
        key,
        method: 'POST',
        path,
        bodyHash: sha256Hex(canonicalJson(body as never)),
        ids: { request: 'req_of_another' },
        incarnation: node.incarnation,
        incarnationsAlive: [node.incarnation],
        realNow: Date.now(),
      },
      { by: 'merchant', scope },
    );
    if (begun.is !== 'ok') throw new Error(`a record did not begin: ${begun.is}`);
  }
}

/** The same service; its merchants send what is watched again. */
export function repeating(galla: Galla, watch: Watch): Galla {
  const projects = new Map<string, string>();
  const client = (api: Api, projectId: string): Api => new RepeatingApi(api, projectId, galla, watch);
  return {
    ...galla,
    async key(projectId, fields) {
      const text = await galla.key(projectId, fields);
      projects.set(text, projectId);
      return text;
    },
    with: (text) => client(galla.with(text), projects.get(text) ?? ''),
    async merchant() {
      const { projectId, api, publishable } = await galla.merchant();
      return new Merchant(projectId, client(api, projectId), publishable);
    },
  };
}
