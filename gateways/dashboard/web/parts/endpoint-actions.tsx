/** What can be done with an endpoint; each says what it does before it does it. */
import { useRef, useState } from 'preact/hooks';
import { webhooksEntry } from '../places.ts';
import { useScreenContext } from '../context.ts';
import type { Result } from '../wire/failure.ts';
import type { Endpoint } from '../wire/types.ts';
import type { EndpointHealth } from '../wire/webhook-api.ts';
import { counted } from '../words/money.ts';
import { dayMs } from '../words/time.ts';
import { ActionForm } from './action-form.tsx';
import { Effects } from './effects.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Glyph, type GlyphName } from './marks.tsx';
import { ShownOnce } from './shown-once.tsx';

type Way = 'edit' | 'enable' | 'disable' | 'rotate' | 'recover' | 'delete';

export interface EndpointActionsProps {
  readonly endpoint: Endpoint;
  readonly health: EndpointHealth | null;
  readonly eventTypes: readonly string[];
  readonly onChanged: () => void;
}

const ways: readonly (readonly [Way, GlyphName, string])[] = [
  ['edit', 'note', 'Change'],
  ['enable', 'check', 'Enable'],
  ['recover', 'back', 'Send what it missed'],
  ['rotate', 'turn', 'Rotate the secret'],
  ['disable', 'halt', 'Disable'],
  ['delete', 'cross', 'Delete'],
];

const isOffered = (way: Way, { enabled }: Endpoint): boolean =>
  way === 'enable' ? !enabled : way === 'disable' || way === 'recover' ? enabled : true;

export function EndpointActions(of: EndpointActionsProps) {
  const { api, place, announce } = useScreenContext();
  const [way, setWay] = useState<Way | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const { endpoint, onChanged } = of;
  const back = (): void => setWay(null);
  const done = (said: string): void => {
    announce(said);
    setWay(null);
    onChanged();
  };
  return (
    <section class="slip lone act" aria-labelledby="endpoint-actions">
      <h2 id="endpoint-actions" tabIndex={-1}>
        What you can do
      </h2>
      {secret !== null && (
        <ShownOnce title="Copy the new secret to your server now" facts={[['Signing secret', secret]]}>
          It is not shown again.
        </ShownOnce>
      )}
      {way === null && (
        <div class="buttons">
          {ways
            .filter(([each]) => isOffered(each, endpoint))
            .map(([each, sign, word]) => (
              <button key={each} type="button" class="step" onClick={() => setWay(each)}>
                <Glyph name={sign} />
                {word}
              </button>
            ))}
        </div>
      )}
      {way === 'edit' && (
        <EndpointForm
          endpoint={endpoint}
          eventTypes={of.eventTypes}
          word="Save the changes"
          send={(request) => api.changeEndpoint(place, endpoint.id, request)}
          onDone={() => done('The endpoint was changed.')}
          onBack={back}
        />
      )}
      {(way === 'enable' || way === 'disable') && (
        <Switch way={way} endpoint={endpoint} done={done} back={back} />
      )}
      {way === 'rotate' && (
        <Rotate
          {...of}
          back={back}
          onSecret={(text) => {
            setSecret(text);
            done('The secret was rotated. The new one is shown this once.');
          }}
        />
      )}
      {way === 'recover' && <Recover endpoint={endpoint} done={done} back={back} />}
      {way === 'delete' && <Delete endpoint={endpoint} back={back} />}
    </section>
  );
}

interface WayProps {
  readonly endpoint: Endpoint;
  readonly done: (said: string) => void;
  readonly back: () => void;
}

const switches = {
  enable: {
    word: 'Enable the endpoint',
    said: 'The endpoint is enabled.',
    effects: [
      'New events are sent there again.',
      'What it missed is not sent by itself: choose “Send what it missed” afterwards.',
    ],
  },
  disable: {
    word: 'Disable the endpoint',
    said: 'The endpoint is disabled.',
    effects: [
      'Nothing more is sent there.',
      'Deliveries that wait for another try fail.',
      'Once it is enabled again, you can send what it missed, up to 90 days back.',
    ],
  },
} as const;

function Switch({ way, endpoint, done, back }: WayProps & { readonly way: 'enable' | 'disable' }) {
  const { api, place } = useScreenContext();
  const { word, said, effects } = switches[way];
  return (
    <ActionForm
      word={word}
      isDanger={way === 'disable'}
      send={() => api.changeEndpoint(place, endpoint.id, { enabled: way === 'enable' })}
      onDone={() => done(said)}
      onBack={back}
    >
      <Effects effects={effects} />
    </ActionForm>
  );
}

const graces: readonly (readonly [hours: number, word: string])[] = [
  [24, 'For one day'],
  [168, 'For a week'],
  [1, 'For an hour'],
  [0, 'Not at all: it got out'],
];

interface RotateProps extends Pick<EndpointActionsProps, 'endpoint' | 'health'> {
  readonly onSecret: (secret: string) => void;
  readonly back: () => void;
}

function Rotate({ endpoint, health, onSecret, back }: RotateProps) {
  const { api, place } = useScreenContext();
  const [hours, setHours] = useState(24);
  const secret = useRef('');
  // another choice is another request
  const [keys] = useState(() => new Map(graces.map(([each]) => [each, crypto.randomUUID()])));
  const send = async (): Promise<Result<unknown>> => {
    const result = await api.rotateSecret(place, endpoint.id, hours, keys.get(hours) ?? '');
    if (result.ok) secret.current = result.value.signing_secret;
    return result;
  };
  const overlaps = health?.previousSecretExpiresAt !== null && health !== null;
  return (
    <ActionForm
      word="Make a new secret"
      isDanger={hours === 0}
      send={send}
      onDone={() => onSecret(secret.current)}
      onBack={back}
    >
      <Effects
        effects={[
          'Deliveries are signed with a new secret. It is shown once.',
          'As long as the present secret stays valid, they are signed with both.',
          ...(overlaps ? ['The secret before the present one ends at once.'] : []),
        ]}
      />
      <NumberChoice
        label="The present secret stays valid"
        value={hours}
        choices={graces}
        onChoice={setHours}
      />
    </ActionForm>
  );
}

interface NumberChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly choices: readonly (readonly [value: number, word: string])[];
  readonly onChoice: (value: number) => void;
}

const NumberChoice = ({ label, value, choices, onChoice }: NumberChoiceProps) => (
  <label class="field">
    {label}
    <select
      value={String(value)}
      onChange={({ currentTarget }) => onChoice(choices[currentTarget.selectedIndex]?.[0] ?? value)}
    >
      {choices.map(([each, word]) => (
        <option key={each} value={String(each)}>
          {word}
        </option>
      ))}
    </select>
  </label>
);

const spans: readonly (readonly [days: number, word: string])[] = [
  [1, 'The last 24 hours'],
  [3, 'The last 3 days'],
  [7, 'The last 7 days'],
  [30, 'The last 30 days'],
  // a little less than what is kept, which goes on shrinking
  [89.9, 'The last 90 days'],
];

function Recover({ endpoint, done, back }: WayProps) {
  const { api, place, now } = useScreenContext();
  const [days, setDays] = useState(1);
  const queued = useRef(0);
  const send = async (): Promise<Result<unknown>> => {
    const since = new Date(now - days * dayMs).toISOString();
    const result = await api.recover(place, endpoint.id, since, crypto.randomUUID());
    if (result.ok) queued.current = result.value.queued;
    return result;
  };
  return (
    <ActionForm
      word="Send what it missed"
      send={send}
      onDone={() =>
        done(
          queued.current === 0
            ? 'It has missed nothing.'
            : `${counted(queued.current, 'event is', 'events are')} queued.`,
        )
      }
      onBack={back}
    >
      <Effects
        effects={[
          'Every event of that time that it receives and has not accepted is sent, the oldest first.',
          'That includes events from before the endpoint existed.',
          'They carry their old ids: a server that stores the ids it has processed handles none twice.',
        ]}
      />
      <NumberChoice label="Events of" value={days} choices={spans} onChoice={setDays} />
    </ActionForm>
  );
}

function Delete({ endpoint, back }: Omit<WayProps, 'done'>) {
  const { api, place, to, go, announce } = useScreenContext();
  return (
    <ActionForm
      word="Delete the endpoint"
      isDanger
      send={() => api.deleteEndpoint(place, endpoint.id)}
      onDone={() => {
        announce('The endpoint was deleted.');
        go(to(webhooksEntry.link));
      }}
      onBack={back}
    >
      <Effects
        effects={[
          'Nothing more is sent there, and what waits fails.',
          'Its list of deliveries goes with it.',
          'It cannot be undone. To pause it, disable it instead.',
        ]}
      />
    </ActionForm>
  );
}
