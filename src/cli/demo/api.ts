/** A merchant's own client of our API: JSON over HTTP with one key.
 *  Boundary: nothing but what any HTTP library does. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The bytes as text, to compare. */
  readonly text: string;
  /** Parsed; an empty object when there is no JSON. */
  readonly body: Body;
  readonly tookMs: number;
}

/** A JSON object read by name. Paths are dotted: `error.code`, `data.0.id`. */
export class Body {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }

  at(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>(
        (value, name) =>
          typeof value === 'object' && value !== null
            ? (value as { [key: string]: unknown })[name]
            : undefined,
        this.value,
      );
  }

  /** Text at this path; throws with the whole body when there is none. */
  text(path: string): string {
    const value = this.at(path);
    if (typeof value === 'string') return value;
    throw new Error(`no text at ${path} in ${JSON.stringify(this.value)}`);
  }

  list(path: string): readonly Body[] {
    const value = this.at(path);
    if (Array.isArray(value)) return value.map((each: unknown) => new Body(each));
    throw new Error(`no list at ${path} in ${JSON.stringify(this.value)}`);
  }
}

export interface Sending {
  readonly body?: object | string | Uint8Array;
  readonly headers?: { readonly [name: string]: string };
  readonly idempotencyKey?: string;
}

const waitMs = 30_000;
const triesMax = 5;

export class Api {
  readonly baseUrl: string;
  /** null: no Authorization header is sent. */
  readonly key: string | null;

  constructor(baseUrl: string, key: string | null) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  get(path: string, sending: Sending = {}): Promise<Answer> {
    return this.send('GET', path, sending);
  }

  post(path: string, body?: object, sending: Sending = {}): Promise<Answer> {
    return this.send('POST', path, body === undefined ? sending : { ...sending, body });
  }

  /** Rejects only when there was no answer. */
  async send(method: string, path: string, { body, headers, idempotencyKey }: Sending = {}): Promise<Answer> {
    const from = performance.now();
    const answer = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.key === null ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      body: bytesOf(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(waitMs),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: new Body(parsed(text)),
      tookMs: performance.now() - from,
    };
  }

  /** As send, but any status but 2xx throws, with what the service said. Asked to slow down, it waits and tries
   *  again. */
  async must(method: string, path: string, body?: object, sending: Sending = {}): Promise<Answer> {
    const whole = body === undefined ? sending : { ...sending, body };
    let answer = await this.send(method, path, whole);
    for (let tries = 1; answer.status === 429 && tries < triesMax; tries++) {
      await pause(Number(answer.headers.get('retry-after') ?? 1) * 1000);
      answer = await this.send(method, path, whole);
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  }
}

const bytesOf = (body: Sending['body']): string | Uint8Array | null => {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
