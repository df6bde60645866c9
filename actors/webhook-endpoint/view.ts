/** The Webhook endpoint of docs/reference/api/webhook-endpoints.md; its secret is never part of it. */
import { isLive, type ViewMeta } from '../../src/runtime/model/actor.ts';
import { iso } from '../../src/kernel/time.ts';
import type { EndpointState } from './messages.ts';

export interface EndpointView {
  readonly id: string;
  readonly livemode: boolean;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  readonly disabledReason: 'merchant' | 'failing' | 'gone' | null;
  readonly apiVersion: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [key: string]: unknown;
}

/** The API object as of this state. */
export const endpointView = (
  s: EndpointState,
  { id, scope }: Pick<ViewMeta, 'id' | 'scope'>,
): EndpointView => ({
  id,
  livemode: isLive(scope),
  url: s.url,
  events: s.events,
  enabled: s.status === 'enabled',
  description: s.description,
  disabledReason: s.status === 'disabled' ? s.disabledReason : null,
  apiVersion: s.apiVersion,
  sequence: s.sequence,
  createdAt: iso(s.createdAt),
  updatedAt: iso(s.updatedAt),
});
