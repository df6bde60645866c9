/** What is and was wrong with providers: since when, why, and a picture of the last days. */
import { useScreenContext } from '../context.ts';
import { providersEntry } from '../places.ts';
import { useAsked, type Asked } from '../asked.ts';
import {
  adviceText,
  allOf,
  blocksOf,
  incidentStates,
  lastedText,
  stripDays,
  whyText,
} from '../words/incidents.ts';
import { providerIds } from '../words/providers.ts';
import { dayMs, dayText } from '../words/time.ts';
import { providerWord } from '../words/words.ts';
import type { ProviderIncident, ProviderIncidents } from '../wire/types.ts';
import { Glyph, UserText, Tag, Tile } from './marks.tsx';
import { Failed } from './notices.tsx';
import { When } from './when.tsx';

const listedMax = 20;

export function useIncidents(): Asked<ProviderIncidents> {
  const { api, place } = useScreenContext();
  return useAsked(
    'provider incidents',
    () => api.call('GET provider-incidents', place, { query: { limit: '100' } }),
    ['provider'],
  );
}

/** What is wrong with one provider now; nothing when nothing is. */
export function OpenIncidents({ of }: { readonly of: readonly ProviderIncident[] }) {
  const { now } = useScreenContext();
  return (
    <>
      {of.map((incident) => (
        <div key={incident.id} class={`notice ${incidentStates[incident.kind].tone}`} role="note">
          <Glyph name={incidentStates[incident.kind].sign} />
          <div>
            <strong>
              {incidentStates[incident.kind].word} since <When at={incident.openedAt} now={now} />
            </strong>
            <UserText text={whyText(incident)} /> {adviceText[incident.kind]}
          </div>
        </div>
      ))}
    </>
  );
}

/** On the first screen: which providers are in trouble. */
export function ProvidersInTrouble() {
  const { to } = useScreenContext();
  const { value } = useIncidents();
  if (value === null || value.open.length === 0) return null;
  return (
    <div class="notice bad troubled" role="note">
      <Glyph name="note" />
      <div>
        <strong>{value.open.length === 1 ? 'A provider is in trouble' : 'Providers are in trouble'}</strong>
        {value.open
          .map(
            ({ provider, kind }) => `${providerWord(provider)}: ${incidentStates[kind].word.toLowerCase()}`,
          )
          .join('. ')}
        . <a href={to(providersEntry.link)}>See since when and why</a>
      </div>
    </div>
  );
}

export function Incidents({
  asked: { value, failure, again },
}: {
  readonly asked: Asked<ProviderIncidents>;
}) {
  if (value === null) return failure === null ? null : <Failed failure={failure} again={again} />;
  const all = allOf(value);
  const now = Date.parse(value.now);
  return (
    <section class="slip lone act incidents" aria-labelledby="incidents">
      <h2 id="incidents">Incidents</h2>
      <p class="soft">The last {stripDays} days. Incidents are kept for 90 days.</p>
      <ul class="lanes">
        {providerIds.map((id) => (
          <Strip key={id} provider={id} incidents={all.filter(({ provider }) => provider === id)} now={now} />
        ))}
        <li class="lane scale" aria-hidden="true">
          <span class="soft">{dayText(now - stripDays * dayMs, now)}</span>
          <span class="soft">Now</span>
        </li>
      </ul>
      {all.length === 0 ? (
        <p class="soft">Nothing was wrong with a provider.</p>
      ) : (
        <ol class="incident-list" aria-label="Newest first">
          {all.slice(0, listedMax).map((incident) => (
            <Line key={incident.id} incident={incident} now={now} />
          ))}
        </ol>
      )}
      {value.total > listedMax && (
        <p class="soft">
          The newest {listedMax} of {value.total}.
        </p>
      )}
    </section>
  );
}

interface StripProps {
  readonly provider: string;
  readonly incidents: readonly ProviderIncident[];
  readonly now: number;
}

function Strip({ provider, incidents, now }: StripProps) {
  const blocks = blocksOf(incidents, now);
  const count =
    blocks.length === 1 ? '1 incident' : `${blocks.length === 0 ? 'no' : blocks.length} incidents`;
  return (
    <li class="lane">
      <span class="lane-name">
        <Tile provider={provider} />
        {providerWord(provider)}
      </span>
      <svg
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${providerWord(provider)}: ${count} in ${stripDays} days`}
      >
        <rect class="fine" x="0" y="0" width="100" height="10" />
        {blocks.map(({ id, kind, from, width }) => (
          <rect key={id} class={kind} x={from} y="0" width={width} height="10" />
        ))}
      </svg>
    </li>
  );
}

function Line({ incident, now }: { readonly incident: ProviderIncident; readonly now: number }) {
  const { provider, kind, openedAt, closedAt, openings } = incident;
  const lasted = (closedAt === null ? now : Date.parse(closedAt)) - Date.parse(openedAt);
  return (
    <li>
      <span class="incident-head">
        <Tag words={incidentStates[kind]} />
        <b>{providerWord(provider)}</b>
        <When at={openedAt} now={now} />
      </span>
      <span class="incident-why">
        <UserText text={whyText(incident)} />{' '}
        <span class="soft">
          {closedAt === null ? `Open for ${lastedText(lasted)}` : `Lasted ${lastedText(lasted)}`}
          {openings > 1 && `, happened ${openings} times`}
        </span>
      </span>
    </li>
  );
}
