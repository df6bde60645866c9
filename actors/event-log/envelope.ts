/** The text of an event as webhooks, /v1/events and streams carry it, byte for byte. */
import { isLive, type Scope } from '../../src/runtime/model/actor.ts';
import { apiVersion } from '../../src/kernel/api-releases.ts';
import { iso, type Instant } from '../../src/kernel/time.ts';

interface Enveloped {
  readonly id: string;
  readonly type: string;
  readonly at: Instant;
  readonly scope: Scope;
  readonly object: { readonly sequence: number };
  readonly test: boolean;
}

/** Keys in the order of docs/reference/events.md; `test` only on test events. */
export const envelopeTextIn =
  (version: string) =>
  ({ id, type, at, scope, object, test }: Enveloped): string =>
    JSON.stringify({
      id,
      type,
      created: Math.floor(at / 1000),
      timestamp: iso(at),
      livemode: isLive(scope),
      apiVersion: version,
      sequence: object.sequence,
      ...(test ? { test: true } : {}),
      data: object,
    });

export const envelopeText = envelopeTextIn(apiVersion);
