/** A browser, and a little server that shows it pages with the headers they really carry. */
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type Page } from 'playwright-core';
import { Server, type Namespace } from 'socket.io';
import { assetDoors } from '../../gateways/pages/assets.ts';
import { pageHeaders } from '../../gateways/pages/headers.ts';
import type { DoorReply } from '../../gateways/server/door.ts';
import type { MaybePromise } from '../../src/kernel/maybe-promise.ts';
import { browserPath } from '../support/browser.ts';

export const browserIsHere = (): boolean => existsSync(browserPath);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });

export interface Served {
  readonly origin: string;
  close(): Promise<void>;
}

export type Answer = (
  method: string,
  pathAndQuery: string,
  body: string,
  headers: { readonly [name: string]: string },
) => Promise<DoorReply>;

/** Answers whoever connects to `/hosted`. */
export type OpenHosted = (namespace: Namespace) => void;

/** A plain server on a free port; the addresses of our assets are answered beside `answer`, and our pages' sockets by
 *  `openHosted`. Left out, no socket is let through. */
export async function listen(answer: Answer, openHosted?: OpenHosted): Promise<Served> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const [method = '', address = ''] = [request.method, request.url];
      const reply =
        asset(address) ?? answer(method, address, Buffer.concat(chunks).toString(), headersOf(request));
      void Promise.resolve(reply).then(({ status, headers, body }) =>
        response.writeHead(status, { ...headers }).end(body),
      );
    });
  });
  const io =
    openHosted === undefined ? null : new Server(server, { transports: ['websocket'], serveClient: false });
  if (io !== null) openHosted?.(io.of('/hosted'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        io?.disconnectSockets(true);
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

/** As a door receives them; none of ours reads one that browsers send more than once. */
const headersOf = ({ headers }: IncomingMessage): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

function asset(path: string): MaybePromise<DoorReply> | undefined {
  if (!path.startsWith('/ui/')) return undefined;
  const request = {
    requestId: 'req_',
    method: 'GET',
    path,
    params: {},
    rawQuery: '',
    header: () => '',
    ip: '',
  };
  return assetDoors()[0]?.handle({ ...request, body: Buffer.alloc(0) });
}

export interface Shown extends Served {
  /** `METHOD /path` of every request for anything but a page or an asset, oldest first. */
  readonly strays: readonly string[];
}

/** Serves `pages` at `/<name>`, and `status` wherever a page asks for its session's; over sockets too, by default. */
export async function show(
  pages: Readonly<Record<string, string>>,
  status: object,
  openHosted: OpenHosted = (namespace) =>
    namespace.on('connection', (socket) => void socket.emit('state', status)),
): Promise<Shown> {
  const strays: string[] = [];
  const served = await listen((method, path) => {
    const found = method === 'GET' ? pages[path.slice(1)] : undefined;
    if (found !== undefined) return Promise.resolve({ status: 200, headers: pageHeaders(), body: found });
    if (path.endsWith('/status')) return Promise.resolve(jsonOf(status));
    strays.push(`${method} ${path}`);
    return Promise.resolve(plainPage('arrived', ''));
  }, openHosted);
  return { ...served, strays };
}

const jsonOf = (body: object): DoorReply => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Resolves when a page of this tab has received its session's state over its socket; call it before opening the page. */
export async function isTold(tab: Page): Promise<void> {
  const socket = await tab.waitForEvent('websocket');
  await socket.waitForEvent('framereceived', ({ payload }) => payload.includes('["state",'));
}

/** Somebody else's page: a provider's, a shop's. */
export const plainPage = (title: string, body: string): DoorReply => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${body}`,
});
