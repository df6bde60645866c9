/** One endpoint in a line: its address, its event types, whether it is enabled. */
import { useScreenContext } from '../context.ts';
import { unfiltered } from '../lists/status-filters.ts';
import { endpointRoute } from '../screens/endpoint/route.ts';
import type { Endpoint } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { disabledWord, type StateWords } from '../words/words.ts';
import { Glyph, Said, Tag } from './marks.tsx';

const on: StateWords = { word: 'On', tone: 'good', sign: 'check' };
const off: StateWords = { word: 'Off', tone: 'bad', sign: 'halt' };

export const endpointState = ({ enabled }: Endpoint): StateWords => (enabled ? on : off);

export const subscriptionText = ({ events }: Endpoint): string => {
  const [first = '*', ...more] = events;
  if (first === '*') return 'every event';
  return more.length === 0 ? first : `${first} and ${counted(more.length, 'more kind')}`;
};

const described = ({ description }: Endpoint): string => (description === null ? '' : ` · ${description}`);

export function EndpointLine({ endpoint }: { readonly endpoint: Endpoint }) {
  const { to } = useScreenContext();
  return (
    <li class="row endpoint">
      <Tag words={endpointState(endpoint)} />
      <div class="words">
        <a class="whole" href={to(endpointRoute.at({ id: endpoint.id, filters: unfiltered }))}>
          <Said text={endpoint.url} />
        </a>
        <span class="soft">
          {endpoint.disabledReason === null
            ? `Receives ${subscriptionText(endpoint)}${described(endpoint)}`
            : disabledWord(endpoint.disabledReason)}
        </span>
      </div>
      <Glyph name="arrow" />
    </li>
  );
}
