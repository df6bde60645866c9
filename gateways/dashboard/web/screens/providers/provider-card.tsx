/** One provider with everything that a merchant sets about it. */
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import type { ProviderIncident, ProviderSettings } from '../../wire/types.ts';
import { providerForms, refundCallIds } from '../../words/providers.ts';
import { healthState, intentEntitlement, missingFor } from '../../words/settings.ts';
import { incidentStates } from '../../words/incidents.ts';
import { providerWord } from '../../words/words.ts';
import { Credentials } from './credentials.tsx';
import { OpenIncidents } from '../../parts/incidents.tsx';
import { Glyph, Tag, Tile } from '../../parts/marks.tsx';
import { SwitchLine } from './switch-line.tsx';

export interface ProviderCardProps {
  readonly settings: ProviderSettings;
  /** What is wrong with it now. */
  readonly incidents: readonly ProviderIncident[];
  /** Among those that buyers are offered; null: it is not one of them. */
  readonly place: CardPlace | null;
  readonly onChanged: () => void;
}

interface CardPlace {
  readonly at: number;
  readonly of: number;
  readonly move: (to: number) => void;
}

export function ProviderCard({ settings, incidents, place, onChanged }: ProviderCardProps) {
  const id = settings.provider;
  const label = providerWord(id);
  const form = providerForms.find((each) => each.id === id);
  return (
    <li>
      <section class="slip lone act provider-card" aria-labelledby={`provider-${id}`}>
        <div class="set-line">
          <Tile provider={id} />
          <h2 id={`provider-${id}`} tabIndex={-1}>
            {label}
          </h2>
          {place !== null && <State settings={settings} incidents={incidents} />}
          {place !== null && <Mover label={label} place={place} />}
        </div>
        {place !== null && <Missing settings={settings} />}
        <OpenIncidents of={incidents} />
        {place !== null && (
          <Switches
            settings={settings}
            label={label}
            hasAppIntent={form?.hasAppIntent === true}
            onChanged={onChanged}
          />
        )}
        {form !== undefined && (
          <>
            <h3>Credentials</h3>
            <Credentials form={form} label={label} settings={settings} onChanged={onChanged} />
          </>
        )}
      </section>
    </li>
  );
}

interface StateProps {
  readonly settings: ProviderSettings;
}

const ready = { word: 'Offered to buyers', tone: 'good', sign: 'check' } as const;
const off = { word: 'Switched off', tone: 'plain', sign: 'halt' } as const;
const incomplete = { word: 'Not ready', tone: 'warn', sign: 'note' } as const;

function State({ settings, incidents }: Pick<ProviderCardProps, 'settings' | 'incidents'>) {
  const { place } = useScreenContext();
  const isReady = missingFor(settings, place.mode).length === 0;
  const isRefused = settings.health === 'up' && incidents.some(({ kind }) => kind === 'refused');
  return (
    <span class="tags">
      <Tag words={isReady ? ready : settings.configured && !settings.enabled ? off : incomplete} />
      {isReady && <Tag words={isRefused ? incidentStates.refused : healthState(settings)} />}
    </span>
  );
}

function Missing({ settings }: StateProps) {
  const { place } = useScreenContext();
  const missing = missingFor(settings, place.mode);
  if (missing.length === 0) return null;
  return (
    <div class="notice" role="note">
      <Glyph name="note" />
      <div>
        <strong>
          {missing.length === 1 ? 'One thing is missing' : `${missing.length} things are missing`}
        </strong>
        <ul class="effects">
          {missing.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const Mover = ({ label, place: { at, of, move } }: { readonly label: string; readonly place: CardPlace }) => (
  <span class="mover end" role="group" aria-label={`Place of ${label}, ${at + 1} of ${of}`}>
    <button
      type="button"
      class="copy"
      aria-label={`Move ${label} up`}
      disabled={at === 0}
      onClick={() => move(at - 1)}
    >
      <span class="upward">
        <Glyph name="down" />
      </span>
    </button>
    <button
      type="button"
      class="copy"
      aria-label={`Move ${label} down`}
      disabled={at === of - 1}
      onClick={() => move(at + 1)}
    >
      <Glyph name="down" />
    </button>
  </span>
);

const intentLockedIn = {
  sandbox: 'Not part of your plan.',
  live: 'It works only in the sandbox. In live every buyer pays on the web.',
} as const;

interface SwitchesProps {
  readonly settings: ProviderSettings;
  readonly label: string;
  readonly hasAppIntent: boolean;
  readonly onChanged: () => void;
}

function Switches({ settings, label, hasAppIntent, onChanged }: SwitchesProps) {
  const { api, place } = useScreenContext();
  const { provider: id, enabled, appIntent, refundsNeedMobile } = settings;
  const plan = useAsked('business', () => api.call('GET business', place), ['merchant']).value?.entitlements;
  const intent = plan?.find(({ entitlement }) => entitlement === intentEntitlement);
  return (
    <div class="form bare">
      <SwitchLine
        name={`Offer ${label} to buyers`}
        isOn={enabled}
        send={(next) =>
          api.call('PUT provider-settings/{provider}', place, { provider: id, body: { enabled: next } })
        }
        onDone={onChanged}
      >
        Off: nobody can begin to pay with it. Payments under way go on.
      </SwitchLine>
      {hasAppIntent && (
        <SwitchLine
          name="Let buyers pay in its app"
          isOn={appIntent}
          locked={intent?.[place.mode] === false ? intentLockedIn[place.mode] : null}
          send={(next) =>
            api.call('PUT provider-settings/{provider}', place, { provider: id, body: { appIntent: next } })
          }
          onDone={onChanged}
        >
          Only in the sandbox. A phone opens the app and goes on to the web after 3 seconds without it; a
          computer shows a code to scan, and a button to pay on the web. Off: every buyer pays on the web.
        </SwitchLine>
      )}
      {refundCallIds.includes(id) && (
        <SwitchLine
          name="Refunds need the buyer’s mobile number"
          isOn={refundsNeedMobile}
          send={(next) =>
            api.call('PUT provider-settings/{provider}', place, {
              provider: id,
              body: { refundsNeedMobile: next },
            })
          }
          onDone={onChanged}
        >
          Switch it on only if your agreement with the provider says so: refunds without a number are then
          refused.
        </SwitchLine>
      )}
    </div>
  );
}
