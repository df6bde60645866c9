/** The effects of the actors: provider calls, webhooks, simulated buyers. */
import { cast } from '../../actors/cast.ts';
import type { ProviderCounts } from '../providers/health/provider-count.ts';
import { messageEffects, type MessageParts } from '../../gateways/messages/message-effects.ts';
import { openSmsDoor } from '../../gateways/messages/sms.ts';
import { simulatorEffects } from '../../gateways/simulator/buyer.ts';
import { billingEffects } from '../billing/billing-effects.ts';
import { allowsPrivateHosts } from '../config.ts';
import { realScheduler } from '../kernel/time.ts';
import { dailyLookupEffects, DailyWaker, wakingDaily } from '../books/daily-lookups.ts';
import { statementEffects } from '../books/statement-steps.ts';
import { openHttp, type Http } from '../outbound/http.ts';
import { systemResolver } from '../outbound/resolve.ts';
import { openMailer } from '../outbound/smtp.ts';
import { isPublicAddress } from '../outbound/ssrf-guard.ts';
import { webhookEffects } from '../outbound/webhook-post.ts';
import type { WebhookReads } from '../outbound/webhook-reads.ts';
import { reportHealth } from '../providers/health/health-reports.ts';
import type { OnAnswer } from '../providers/refusal.ts';
import { providerDeps } from '../providers/provider-calls.ts';
import { providerEffects } from '../providers/provider-effects.ts';
import { runnersOf, runningPerKindMax, type EffectRunners } from '../runtime/delivery/effects.ts';
import type { DocReader } from '../runtime/model/upcast.ts';
import type { Client } from '../runtime/model/client.ts';
import { tracedEffects } from '../telemetry/trace.ts';
import type { Base } from './base.ts';
import type { Closing } from './closing.ts';
import { playDeps } from './simulator.ts';

export interface EffectParts {
  readonly base: Base;
  /** Called when the first effect runs. */
  readonly client: () => Client;
  readonly docs: DocReader;
  readonly reads: WebhookReads;
  readonly counts: ProviderCounts;
  readonly closing: Closing;
  /** Of merchants' host names; the machine's when undefined. */
  readonly nameServers: readonly string[] | undefined;
}

export function openEffects({
  base,
  client,
  docs,
  reads,
  counts,
  closing,
  nameServers,
}: EffectParts): EffectRunners {
  const { settings, seal, carriers, versions } = base;
  // as many as can be under way: many merchants' endpoints are at one host, and those that never answer must
  // not keep the others waiting for a connection
  const perOrigin = runningPerKindMax;
  const open = openHttp({ perOrigin });
  const guard = { resolve: systemResolver(nameServers), allowed: isPublicAddress };
  const guarded = openHttp({ guard, perOrigin });
  closing.later(() => open.close());
  closing.later(() => guarded.close());
  const { bus } = carriers;
  const health = reportHealth({ ...base, bus, client, scheduler: realScheduler });
  const onAnswer: OnAnswer = (answered) => health.answered(answered);
  const atProviders = providerEffects(providerDeps({ ...base, onAnswer, client }), client);
  closing.later(() => atProviders.stop());
  const { store } = carriers;
  const unguarded = allowsPrivateHosts(settings) ? open : null;
  const runners = runnersOf(cast, [
    wakingDaily(atProviders.runners, new DailyWaker(client)),
    counts.runners,
    webhookEffects({
      docs,
      reads,
      store,
      seal,
      versions,
      guarded,
      unguarded,
      scheduler: realScheduler,
      client,
    }),
    dailyLookupEffects({ store, client }),
    statementEffects({ store, client }),
    billingEffects(docs),
    simulatorEffects(() => playDeps(base, client())),
    messageEffects(messageParts(base, docs, open)),
  ]);
  return tracedEffects(base.tracing, runners);
}

function messageParts({ settings, log, baseUrl }: Base, docs: DocReader, http: Http): MessageParts {
  const { smtpUrl, mailFrom, smsUrl, smsSecret } = settings;
  return {
    docs,
    log,
    baseUrl,
    mailer: smtpUrl === null || mailFrom === null ? null : openMailer({ url: smtpUrl, from: mailFrom }),
    sms:
      smsUrl === null || smsSecret === null
        ? null
        : openSmsDoor({ http, url: smsUrl, secret: smsSecret, scheduler: realScheduler }),
  };
}
