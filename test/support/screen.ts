/** A merchant's screen: a real Socket.IO client of `/merchant`, and everything it has received, in order.
 *  1. `forget` ends all that were opened. */
import { io, type Socket } from 'socket.io-client';
import { Api, Body } from '../../src/cli/demo/api.ts';
import { eventually } from './eventually.ts';

export interface Heard {
  readonly event: string;
  readonly body: Body;
}

const opened: Screen[] = [];

export class Screen {
  readonly heard: Heard[] = [];
  /** `err.data` of a refusal, or its text. */
  refused: unknown = null;
  /** Why the connection ended, as the library names it. */
  ended: string | null = null;
  readonly socket: Socket;

  constructor(url: string, auth: object, headers: { readonly [name: string]: string } = {}) {
    this.socket = io(`${url}/merchant`, {
      transports: ['websocket'],
      auth,
      extraHeaders: { ...headers },
      reconnection: false,
      forceNew: true,
    });
    this.socket.onAny((event: string, body: unknown) => this.heard.push({ event, body: new Body(body) }));
    this.socket.on('disconnect', (why) => (this.ended = why));
    this.socket.on('connect_error', (error) => {
      this.refused = 'data' in error ? error.data : error.message;
    });
    opened.push(this);
  }

  /** Opens one with a ticket bought by this key, at this node or at another. */
  static async of(key: string, at: string, boughtAt = at): Promise<Screen> {
    return new Screen(at, { ticket: await ticketOf(key, boughtAt) }).begun();
  }

  /** Once it has its snapshot. */
  async begun(): Promise<this> {
    await this.until('snapshot');
    return this;
  }

  all(event: string): readonly Body[] {
    return this.heard.filter((one) => one.event === event).map(({ body }) => body);
  }

  changes(object: string): readonly Body[] {
    return this.all('change').filter((change) => change.at('object') === object);
  }

  /** The first of these, already received or later. */
  until(event: string, of: (body: Body) => boolean = () => true): Promise<Body> {
    return eventually(
      async () => this.all(event).find(of) ?? null,
      () =>
        `${event}; heard ${this.heard.map((one) => one.event).join(' ')}; ${JSON.stringify(this.refused)}`,
    );
  }

  untilRefused(): Promise<Body> {
    return eventually(
      async () => (this.refused === null ? null : new Body(this.refused)),
      () => `a refusal; heard ${this.heard.map((one) => one.event).join(' ')}`,
    );
  }

  untilEnded(): Promise<string> {
    return eventually(
      async () => this.ended,
      () => `the end; heard ${this.heard.map((one) => one.event).join(' ')}`,
    );
  }
}

/** A ticket for the project and mode of this key. */
export const ticketOf = async (key: string, url: string): Promise<string> =>
  (await new Api(url, key).must('POST', '/v1/live/tickets')).body.text('ticket');

/** For `afterEach`. */
export function forgetScreens(): void {
  for (const { socket } of opened.splice(0)) socket.disconnect();
}
