/** A browser and a little server that shows it pages with the headers they really carry. */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser } from 'playwright-core';
import { assetDoors } from '../../gateways/pages/assets.ts';
import { pageHeaders } from '../../gateways/pages/headers.ts';
import type { DoorReply } from '../../gateways/http/door.ts';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

export const browserIsHere = (): boolean => existsSync(executablePath);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });

export interface Rig {
  readonly origin: string;
  /** `METHOD /path` of every request that was not for a page of the samples or an asset, oldest first. */
  readonly strays: readonly string[];
  close(): Promise<void>;
}

/** Serves `pages` at `/<name>`, the assets at their addresses, and `status` for whoever asks for JSON. */
export async function serve(pages: Readonly<Record<string, string>>, status: object): Promise<Rig> {
  const [assets] = assetDoors();
  const strays: string[] = [];
  const answer = async (method: string, path: string): Promise<DoorReply> => {
    const found = pages[path.slice(1)];
    if (found !== undefined && method === 'GET') return { status: 200, headers: pageHeaders(), body: found };
    if (path.startsWith('/ui/') && assets !== undefined) {
      return assets.handle({ requestId: 'req_', method, path, params: {}, rawQuery: '', header: () => '', body: Buffer.alloc(0), ip: '' });
    }
    if (path.endsWith('/status')) {
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(status) };
    }
    strays.push(`${method} ${path}`);
    return { status: 200, headers: pageHeaders(), body: '<!doctype html><title>arrived</title><h1>arrived</h1>' };
  };
  const server: Server = createServer((request, response) => {
    request.resume();
    void answer(request.method ?? '', request.url ?? '').then((reply) => {
      response.writeHead(reply.status, { ...reply.headers }).end(reply.body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    strays,
    close: () => new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    }),
  };
}
