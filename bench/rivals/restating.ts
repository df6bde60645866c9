/** The same counter on Restate, as its guide has it: a virtual object whose handler `add` is exclusive, served over
 *  HTTP/2 by its SDK. The idempotency key is the server's affair. */
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

interface Context {
  get(name: string): Promise<number | null>;
  set(name: string, value: number): void;
}

/** What is used of the SDK; it is not among our packages. */
interface Sdk {
  object(definition: {
    readonly name: string;
    readonly handlers: { readonly add: (context: Context, data: { readonly by: number }) => Promise<number> };
  }): unknown;
  createEndpointHandler(options: {
    readonly services: readonly unknown[];
    readonly logger: (meta: { readonly level: string }, ...said: readonly unknown[]) => void;
  }): Parameters<typeof createServer>[1];
}

/** Node 20 has none, and without it the SDK answers no call. */
if (!('withResolvers' in Promise))
  Object.assign(Promise, {
    withResolvers() {
      const settle: { resolve?: unknown; reject?: unknown } = {};
      const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
      return { promise, ...settle };
    },
  });

const sdk = (await import(process.env['SDK'] ?? '')) as Sdk;
const counter = sdk.object({
  name: 'counter',
  handlers: {
    async add(context, { by }) {
      const count = ((await context.get('count')) ?? 0) + by;
      context.set('count', count);
      return count;
    },
  },
});
const logger = (meta: { readonly level: string }, ...said: readonly unknown[]): void => {
  if (meta.level === 'error') process.stderr.write(`${said.map(String).join(' ')}\n`);
};
const server = createServer(sdk.createEndpointHandler({ services: [counter], logger }));
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
