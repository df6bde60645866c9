/** The five providers of live payments: a second process, a stand-alone simulator that words its answers as their public
 *  documents do. Pages of bank_a and wallet_c are at another host than their calls.
 *  1. What bank_a and wallet_c have registered for the merchant is one address, in front of the service under test:
 *     `returnsTo` says which service that is. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, Service } from '../../src/cli/demo/service.ts';
import { entry } from './cluster.ts';

/** The ways from the registered address to the service. */
const forwardedHeaders = ['content-type', 'signature'] as const;

class Registered {
  to = '';
  private readonly server: Server = createServer((request, response) => void this.forward(request, response));

  open = (): Promise<void> => new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const body = await textOf(request);
    const kept = forwardedHeaders.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const init = { method, headers: Object.fromEntries(kept), redirect: 'manual' } as const;
    const answer = await fetch(`${this.to}${url}`, method === 'GET' ? init : { ...init, body });
    const location = answer.headers.get('location');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
      ...(location === null ? {} : { location }),
    });
    response.end(await answer.text());
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of request) text += String(bytes);
  return text;
}

export interface LiveProviders {
  readonly url: string;
  /** Where bank_a and wallet_c have their pages. */
  readonly pageUrl: string;
  /** The address that is registered at them. */
  readonly registeredUrl: string;
  returnsTo(service: string): void;
  stop(): Promise<void>;
}

/** The settings of a service whose providers are played at this port, and the port. */
export async function liveHosts(): Promise<{
  readonly port: number;
  readonly env: { readonly [name: string]: string };
}> {
  const [port = 0] = await freePorts(1);
  const [calls, pages] = [`http://127.0.0.1:${port}/sim`, `http://localhost:${port}/sim`];
  return {
    port,
    env: {
      GALLA_WALLET_A_URL: `${calls}/wallet_a`,
      GALLA_WALLET_B_URL: `${calls}/wallet_b`,
      GALLA_QR_A_URL: `${calls}/qr_a`,
      GALLA_BANK_A_URL: `${calls}/bank_a/ws`,
      GALLA_BANK_A_PAGE_URL: `${pages}/bank_a/gateway`,
      GALLA_WALLET_C_URL: `${calls}/wallet_c`,
      GALLA_WALLET_C_PAGE_URL: `${pages}/wallet_c/gateway`,
    },
  };
}

export async function startLiveProviders(port: number): Promise<LiveProviders> {
  const registered = new Registered();
  await registered.open();
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  const env = {
    GALLA_SIMULATOR: 'standalone',
    GALLA_SIMULATOR_SPELLING: 'public',
    GALLA_SIMULATOR_RETURNS_TO: registered.url,
    GALLA_RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  };
  const service = await Service.start({ dataDir, entry, port, env });
  return {
    url: `http://127.0.0.1:${port}`,
    pageUrl: `http://localhost:${port}`,
    registeredUrl: registered.url,
    returnsTo: (to) => void (registered.to = to),
    async stop() {
      await service.stop();
      await registered.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
