/** A page of the dashboard as tests use it: one cookie, one token, any node.
 *  1. It sends what a browser sends with a page's requests: the origin, and the cookie it was given. */
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Answer, type Body, type Sending } from '../../src/cli/demo/api.ts';

export interface Person {
  readonly email: string;
  readonly password: string;
}

export class Page {
  /** `name=value`, as a browser would send it; '' without one. */
  cookie = '';
  csrf = '';
  private readonly url: string;

  constructor(url: string, from?: Page) {
    this.url = url;
    if (from !== undefined) [this.cookie, this.csrf] = [from.cookie, from.csrf];
  }

  get(path: string, headers: { readonly [name: string]: string } = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  post(
    path: string,
    body?: object | string,
    headers: { readonly [name: string]: string } = {},
  ): Promise<Answer> {
    return this.change('POST', path, body === undefined ? { headers } : { body, headers });
  }

  patch(path: string, body: object, headers: { readonly [name: string]: string } = {}): Promise<Answer> {
    return this.change('PATCH', path, { body, headers });
  }

  /** Any request that changes something. */
  change(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const headers = { origin: this.url, 'x-csrf-token': this.csrf, ...sending.headers };
    return this.send(method, path, { ...sending, headers });
  }

  /** Keeps the cookie and the token of a login that succeeds. */
  async logIn(person: Person, headers: { readonly [name: string]: string } = {}): Promise<Answer> {
    const answer = await this.post('/dashboard/login', { ...person }, headers);
    if (answer.status === 200) this.csrf = answer.body.text('csrf');
    return answer;
  }

  logOut(): Promise<Answer> {
    return this.post('/dashboard/logout');
  }

  me(): Promise<Answer> {
    return this.get('/dashboard/api/me');
  }

  private async send(method: string, path: string, sending: Sending): Promise<Answer> {
    const cookie = this.cookie === '' ? {} : { cookie: this.cookie };
    const headers = { ...cookie, ...sending.headers };
    const answer = await new Api(this.url, null).send(method, path, { ...sending, headers });
    const set = answer.headers.get('set-cookie');
    if (set !== null) this.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    return answer;
  }
}

/** A new merchant with a login. */
export async function merchantWithLogin(
  admin: Api,
  person: Partial<Person> & { readonly email: string; readonly name?: string },
): Promise<Person & { readonly projectId: string; readonly merchantId: string; readonly made: Body }> {
  const { body } = await admin.must('POST', '/admin/v1/merchants', {
    name: `Shop of ${person.email}`,
    ...person,
  });
  return {
    email: person.email,
    password: person.password ?? body.text('password'),
    projectId: body.text('project.id'),
    merchantId: body.text('merchant.id'),
    made: body,
  };
}

const askEveryMs = 100;

/** Asks until the answer has this status; how long that took. */
export async function untilStatus(
  ask: () => Promise<Answer>,
  status: number,
  withinMs: number,
): Promise<number> {
  const from = performance.now();
  for (;;) {
    const answer = await ask();
    const tookMs = performance.now() - from;
    if (answer.status === status) return tookMs;
    if (tookMs > withinMs) throw new Error(`after ${tookMs} ms still ${answer.status}: ${answer.text}`);
    await pause(askEveryMs);
  }
}
