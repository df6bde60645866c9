/** A small whole: real actors on a real node, the real listener with buyer's and simulator's doors, the real adapter
 *  over real HTTP. What is left out is the API: sessions are opened and clocks moved by asking actors directly. */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { cast } from '../../../actors/cast.ts';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt, type RefundCall } from '../../../actors/checkout-session/commands.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import type { Provider, RefundAnswer } from '../../../src/providers/answers.ts';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { projectAt, type ProjectState } from '../../../actors/project/messages.ts';
import {
  simulatedPaymentAt,
  simulatorAt,
  type Fault,
  type SimulatedPaymentState,
} from '../../../actors/simulated-payment/messages.ts';
import { buyerDoors } from '../../../gateways/buyer/doors.ts';
import { listen } from '../../../gateways/server/listener.ts';
import { simulatorEffects } from '../../../gateways/simulator/buyer.ts';
import { mountSimulatorSockets, simulatorDoors, type PlayDeps } from '../../../gateways/simulator/doors.ts';
import type { Simulated } from '../../../gateways/http/api-parts.ts';
import { createSimulate } from '../../../gateways/simulator/outcomes.ts';
import { createVisitor } from '../../../gateways/simulator/visitor.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { minutes, realScheduler, type DurationMs, type Scheduler } from '../../../src/kernel/time.ts';
import { providerCallback, providerReturn, returnedPayment } from '../../../src/providers/claims.ts';
import { providerCancel } from '../../../src/providers/provider-effects.ts';
import { Breakers, circuitOf } from '../../../src/providers/breaker.ts';
import {
  providerLookup,
  providerRefund,
  providerStart,
  type ProviderDeps,
} from '../../../src/providers/call.ts';
import { providers } from '../../../src/providers/registry.ts';
import { openHttp } from '../../../src/outbound/http.ts';
import { simulatedPath } from '../../../src/providers/provider-calls.ts';
import { createSender } from '../../../src/providers/sender.ts';
import { scopeOf, type Scope } from '../../../src/runtime/model/address.ts';
import { embedded } from '../../support/embedded.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { eventually } from '../../support/eventually.ts';
import { plainOrder } from '../../support/order.ts';
import { bareListener } from '../../support/alone.ts';

/** The buyer's doors live ten times as fast: a return waits three seconds for a verdict. */
const hasty: Scheduler = {
  ...realScheduler,
  now: () => Date.now() * 10,
  after: (delay, work) => realScheduler.after(delay / 10, work),
};

export interface World {
  readonly url: string;
  readonly node: Node;
  readonly scope: Scope;
  readonly projectId: string;
  /** Real waits the simulator asked for; they are not waited. */
  readonly waits: number[];
  /** A session as POST /v1/checkout would open it. */
  open(order?: Partial<Order>, lifeMs?: DurationMs): Promise<string>;
  /** Picks wallet_b by default. */
  start(sessionId: string, provider?: Provider): Promise<Payment>;
  session(id: string): Promise<SessionState>;
  payment(id: string): Promise<Payment>;
  simulated(paymentId: string): Promise<SimulatedPaymentState>;
  /** Our own side's one refund call, with no circuit in its way; of everything by default. */
  refund(paymentId: string, more?: Partial<RefundCall>): Promise<RefundAnswer>;
  faults(...faults: Partial<Fault>[]): Promise<void>;
  /** From now on our side waits this long for the provider. */
  waitForProvider(ms: number): void;
  simulate(
    sessionId: string,
    outcome: string,
    more?: { provider?: string | null; delayMs?: number },
  ): Promise<Simulated>;
  /** Moves the project's clock, everything due on the way done. */
  advance(ms: DurationMs): Promise<void>;
  until(id: string, holds: (session: SessionState) => boolean): Promise<SessionState>;
  /** Rejects when no whole answer comes within `waitMs` (5 s by default). */
  http(method: 'GET' | 'POST' | 'PUT', path: string, more?: HttpMore): Promise<HttpAnswer>;
  stop(): Promise<void>;
}

export interface HttpMore {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly waitMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
}

export const formOf = (fields: {
  readonly [name: string]: string;
}): { body: string; headers: Record<string, string> } => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

export interface WorldOptions {
  /** How long our side waits for the provider; short where a test is about a provider that never answers. */
  readonly providerTotalMs?: number;
  /** The merchant has switched on payments in the provider's app; off by default. */
  readonly appIntent?: boolean;
  /** Stands between simulated buyers, or the simulator's doors, and what they rely on. */
  readonly around?: (deps: PlayDeps, who: 'buyer' | 'doors') => PlayDeps;
}

export async function openWorld({
  providerTotalMs = 5000,
  appIntent: isOn = false,
  around = (deps) => deps,
}: WorldOptions = {}): Promise<World> {
  const log = createLog({ level: 'silent', pretty: false });
  const agent = new Agent();
  const http = openHttp();
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 1 });
  const listener = await listen({ host: '127.0.0.1', port: 0, log, ...bareListener });
  const url = `http://127.0.0.1:${listener.port}`;
  const waits: number[] = [];
  const limits = { totalMs: providerTotalMs, bodyBytesMax: 10_000 };
  const deps: ProviderDeps = {
    adapter: (provider) => providers.get(provider)?.adapter ?? null,
    settings: (_scope, provider) => {
      const credentials = providers.get(provider)?.sandboxCredentials;
      const appIntent = { isOn, isInPlan: true };
      return Promise.resolve(credentials === undefined ? null : { credentials, enabled: true, appIntent });
    },
    root: (_scope, provider) => `${url}${simulatedPath(provider, 'calls')}`,
    pageRoot: (_scope, provider) => `${url}${simulatedPath(provider, 'pages')}`,
    returnBase: url,
    breakers: new Breakers(),
    onAnswer: () => undefined,
    log,
    send: createSender(http, limits),
  };
  const node: Node = new Node({
    actors: cast,
    store: store.connect(),
    scheduler: realScheduler,
    ...embedded('n:1'),
    envelopeText,
    log,
    dispatch: (_scope, entries) => Promise.resolve(entries.map(() => [])),
    effects: {
      'provider.start': { atOnce: 50, run: providerStart(deps) },
      'provider.lookup': { atOnce: 50, run: providerLookup(deps) },
      'provider.cancel': { atOnce: 50, run: providerCancel(deps) },
      'provider.refund': { atOnce: 50, run: providerRefund(deps) },
      ...simulatorEffects(() => around(own, 'buyer')),
    },
  });
  const own: PlayDeps = {
    client: node.client,
    baseUrl: url,
    playsForOthers: false,
    spelling: 'own',
    othersUrl: url,
    wait: (ms) => Promise.resolve(void waits.push(ms)),
    visitor: createVisitor({ baseUrl: url, othersUrl: url, listenerUrl: () => url, http }),
  };
  const play = around(own, 'doors');
  listener.sockets((app) => mountSimulatorSockets(play, app));
  await node.start();
  node.open();
  const projectId = mintId('prj');
  const scope = scopeOf(projectId, 'sandbox');
  const other = scopeOf(mintId('prj'), 'sandbox');
  listener.mount([
    ...simulatorDoors({
      guide: null,
      ...play,
      authenticate: (asked) => {
        const key = asked.header('authorization');
        if (key === 'Bearer own') return Promise.resolve({ scope, headers: {} });
        const isOther = key === 'Bearer other';
        return Promise.resolve(isOther ? { scope: other, headers: {} } : { status: 401, body: '{}' });
      },
    }),
    ...buyerDoors({
      client: node.client,
      log,
      scheduler: hasty,
      formKey: randomBytes(32),
      baseUrl: url,
      plainHttpHosts: [],
      shopOf: () =>
        Promise.resolve({ name: 'Shop', logoUrl: null, shopUrl: null, verified: false, suspended: null }),
      providersOf: () =>
        Promise.resolve(
          [...providers].map(([id, { label }]) => ({
            id,
            label,
            configured: true,
            enabled: true,
          })),
        ),
      parseCallback: providerCallback(deps),
      paymentOfCallback: (provider, body) =>
        providers.get(provider as Provider)?.adapter.paymentOfCallback?.(body) ?? null,
      parseReturn: providerReturn(deps),
      paymentOfReturn: returnedPayment(deps),
      mintPaymentId: (sessionId) => mintId('pay', sessionId),
      limitForms: () => null,
      leadsToApp: () => Promise.resolve(true),
      limitReturns: () => null,
      limitCallbacks: () => null,
      limitCodes: () => null,
      limitLookUps: () => null,
      lookUp: () => Promise.resolve(null),
    }),
  ]);
  await node.client.ask(
    projectAt(projectId),
    'open',
    { merchantId: 'mer_1', name: 'Shop', providers: [] },
    { by: 'system', scope: 'system' },
  );
  const simulate = createSimulate({
    ...play,
    providers: [...providers.keys()],
    isDown: (provider, of) => deps.breakers.isOpen(circuitOf(provider, of), node.client.now(of)),
  });

  const session = async (id: string): Promise<SessionState> => {
    const found = await node.client.read<SessionState>(checkoutSessionAt(id), null);
    if (found === null) throw new Error(`no session ${id}`);
    return found.state;
  };
  const world: World = {
    url,
    node,
    scope,
    projectId,
    waits,
    session,
    async open(order = {}, lifeMs = minutes(30)) {
      const id = mintId('cs');
      const whole: Order = { ...ordered, ...order };
      const result = await node.client.ask(
        checkoutSessionAt(id),
        'open',
        { order: whole, lifeMs },
        { by: 'merchant', scope },
      );
      if (result.is !== 'ok') throw new Error(JSON.stringify(result));
      return id;
    },
    async start(sessionId, provider = 'wallet_b') {
      const asked = { paymentId: mintId('pay', sessionId), provider, variant: null } as const;
      const result = await node.client.ask(checkoutSessionAt(sessionId), 'start', asked, {
        by: 'buyer',
        scope: null,
      });
      if (result.is !== 'ok') throw new Error(JSON.stringify(result));
      const now = await world.until(sessionId, ({ payments }) =>
        payments.some(({ id, start }) => id === result.detail['paymentId'] && start !== 'asked'),
      );
      const found = now.payments.find(({ id }) => id === result.detail['paymentId']);
      if (found === undefined) throw new Error('no payment');
      return found;
    },
    async payment(id) {
      const row = await node.client.readRow('payment', id, scope);
      const found = (await session(row?.owner.id ?? '')).payments.find((each) => each.id === id);
      if (found === undefined) throw new Error(`no payment ${id}`);
      return found;
    },
    async simulated(paymentId) {
      const found = await node.client.read<SimulatedPaymentState>(simulatedPaymentAt(paymentId), scope);
      if (found === null) throw new Error(`nothing simulated for ${paymentId}`);
      return found.state;
    },
    async refund(paymentId, more = {}) {
      const { state } =
        (await node.client.read<SimulatedPaymentState>(simulatedPaymentAt(paymentId), scope)) ?? {};
      const call: RefundCall = {
        refundId: 'ref_1',
        paymentId,
        provider: 'wallet_b',
        amount: state?.amount ?? 0,
        full: true,
        providerRef: `TX${paymentId.slice('pay_'.length).toUpperCase()}`,
        lookupReference: state?.handle ?? '',
        mobileNumber: null,
        ...more,
      };
      const alone = { ...deps, breakers: new Breakers() };
      return (await providerRefund(alone)(call, { scope, now: () => node.client.now(scope) })).answer;
    },
    waitForProvider(ms) {
      limits.totalMs = ms;
    },
    async faults(...faults) {
      const whole = faults.map((fault): Fault => ({ ...plainFault, ...fault }));
      await node.client.ask(simulatorAt(scope), 'setFaults', { faults: whole }, { by: 'merchant', scope });
    },
    simulate: (sessionId, outcome, { provider = 'wallet_b', delayMs = 0 } = {}) =>
      simulate({ sessionId, outcome, provider, delayMs, scope }),
    async advance(ms) {
      const to = node.client.now(scope) + ms;
      await node.client.ask(projectAt(projectId), 'advanceClock', { to }, { by: 'system', scope: 'system' });
      await eventually(
        async () =>
          (await node.client.read<ProjectState>(projectAt(projectId), null))?.state.status === 'ready'
            ? true
            : null,
        () => 'the clock',
      );
    },
    until: (id, holds) =>
      eventually(
        async () => {
          const now = await session(id);
          return holds(now) ? now : null;
        },
        () => `session ${id}`,
      ),
    async http(method, path, { body = '', headers = {}, waitMs = 5000 } = {}) {
      const signal = AbortSignal.timeout(waitMs);
      const answer = await request(`${url}${path}`, {
        method,
        dispatcher: agent,
        body: body === '' ? null : body,
        headers,
        signal,
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    },
    async stop() {
      node.kill();
      await listener.drain(100);
      await agent.destroy();
      await http.close();
    },
  };
  return world;
}

const ordered: Order = { ...plainOrder, returnUrl: 'http://127.0.0.1:9/return' };
const plainFault: Fault = {
  provider: 'wallet_b',
  call: 'any',
  kind: 'delay',
  reference: null,
  times: null,
  delayMs: 0,
  value: null,
};
