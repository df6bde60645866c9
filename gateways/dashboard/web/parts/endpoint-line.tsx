/** One endpoint in a line: its address, its event types, whether it is enabled, and how it did lately. */
import { useScreenContext } from '../context.ts';
import { endpointRoute } from '../places.ts';
import type { Delivery, Endpoint, EndpointHealth } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { disabledWord, type StateWords } from '../words/words.ts';
import { Glyph, UserText, Tag } from './marks.tsx';
import { Ago } from './when.tsx';

const on: StateWords = { word: 'On', tone: 'good', sign: 'check' };
const off: StateWords = { word: 'Off', tone: 'bad', sign: 'halt' };

export const endpointState = ({ enabled }: Endpoint): StateWords => (enabled ? on : off);

export const subscriptionText = ({ events }: Endpoint): string => {
  const [first = '*', ...more] = events;
  if (first === '*') return 'every event';
  return more.length === 0 ? first : `${first} and ${counted(more.length, 'more kind')}`;
};

const described = ({ description }: Endpoint): string => (description === null ? '' : ` · ${description}`);

/** `98 % of 1,204 delivered in 24 h`. */
export function healthText({ delivered, undelivered }: EndpointHealth): string {
  const all = delivered + undelivered;
  if (all === 0) return 'Nothing sent in 24 h';
  // of many that were delivered, one that was not must show
  const percent = undelivered === 0 ? 100 : Math.min(99, Math.round((100 * delivered) / all));
  return `${percent} % of ${counted(all, 'delivery', 'deliveries')} accepted in 24 h`;
}

/** Why the newest delivery that failed did. */
export const errorText = ({ eventType, responseStatus, responseBody }: Delivery): string =>
  `${eventType}: ${responseStatus === null ? (responseBody ?? 'no answer') : `answered ${responseStatus}`}`;

export interface EndpointLineProps {
  readonly endpoint: Endpoint;
  /** null: not known yet. */
  readonly health: EndpointHealth | null;
}

export function EndpointLine({ endpoint, health }: EndpointLineProps) {
  const { to, now } = useScreenContext();
  const error = health?.lastError ?? null;
  return (
    <li class="row endpoint">
      <Tag words={endpointState(endpoint)} />
      <div class="words">
        <a class="whole" href={to(endpointRoute.at({ id: endpoint.id }))}>
          <UserText text={endpoint.url} />
        </a>
        <span class="soft">
          {endpoint.disabledReason === null
            ? `Receives ${subscriptionText(endpoint)}${described(endpoint)}`
            : disabledWord(endpoint.disabledReason)}
        </span>
        {health !== null && <span class="soft">{healthText(health)}</span>}
        {error !== null && (
          <span class="soft">
            Last error: {errorText(error)} · <Ago at={error.lastAttemptAt ?? error.createdAt} now={now} />
          </span>
        )}
      </div>
      <Glyph name="arrow" />
    </li>
  );
}
