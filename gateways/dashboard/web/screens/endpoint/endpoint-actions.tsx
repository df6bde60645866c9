/** What can be done with an endpoint; each says what it does before it does it. */
import { useState } from 'preact/hooks';
import { webhooksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import type { Endpoint, EndpointHealth } from '../../wire/types.ts';
import { good, readForm } from '../../wire/form-reading.ts';
import { counted } from '../../words/money.ts';
import { dayMs } from '../../words/time.ts';
import type { Choices } from '../../parts/chips.tsx';
import { Effects } from '../../parts/effects.tsx';
import { EndpointForm } from '../../parts/endpoint-form.tsx';
import { Glyph, type GlyphName } from '../../parts/marks.tsx';
import { ActionForm, RequestForm } from '../../parts/request-form.tsx';
import { useActions } from '../../parts/use-actions.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';

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
  const { api, place } = useScreenContext();
  const [secret, setSecret] = useState<string | null>(null);
  const { endpoint, onChanged } = of;
  const { way, choose, back, done } = useActions<Way>(onChanged);
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
              <button key={each} type="button" class="step" onClick={() => choose(each)}>
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
          send={(request) => api.call('PATCH /v1/webhooks/{id}', place, { id: endpoint.id, body: request })}
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
  readonly done: (news: string) => void;
  readonly back: () => void;
}

const switches = {
  enable: {
    word: 'Enable the endpoint',
    news: 'The endpoint is enabled.',
    effects: [
      'New events are sent there again.',
      'What it missed is not sent by itself: choose “Send what it missed” afterwards.',
    ],
  },
  disable: {
    word: 'Disable the endpoint',
    news: 'The endpoint is disabled.',
    effects: [
      'Nothing more is sent there.',
      'Deliveries that wait for another try fail.',
      'Once it is enabled again, you can send what it missed, up to 90 days back.',
    ],
  },
} as const;

function Switch({ way, endpoint, done, back }: WayProps & { readonly way: 'enable' | 'disable' }) {
  const { api, place } = useScreenContext();
  const { word, news, effects } = switches[way];
  return (
    <ActionForm
      word={word}
      isDanger={way === 'disable'}
      send={() =>
        api.call('PATCH /v1/webhooks/{id}', place, { id: endpoint.id, body: { enabled: way === 'enable' } })
      }
      onDone={() => done(news)}
      onBack={back}
    >
      <Effects effects={effects} />
    </ActionForm>
  );
}

/** In hours. */
const graces: Choices = [
  ['24', 'For one day'],
  ['168', 'For a week'],
  ['1', 'For an hour'],
  ['0', 'Not at all: it got out'],
];

interface RotateProps extends Pick<EndpointActionsProps, 'endpoint' | 'health'> {
  readonly onSecret: (secret: string) => void;
  readonly back: () => void;
}

function Rotate({ endpoint, health, onSecret, back }: RotateProps) {
  const { api, place } = useScreenContext();
  const [isAtOnce, setAtOnce] = useState(false);
  const overlaps = health?.previousSecretExpiresAt !== null && health !== null;
  const effects = [
    'Deliveries are signed with a new secret. It is shown once.',
    'As long as the present secret stays valid, they are signed with both.',
    ...(overlaps ? ['The secret before the present one ends at once.'] : []),
  ];
  return (
    <RequestForm
      name="Make a new secret"
      word="Make a new secret"
      isDanger={isAtOnce}
      fields={[
        () => <Effects effects={effects} />,
        { name: 'hours', label: 'The present secret stays valid', options: graces },
      ]}
      read={(text) => readForm({ hours: good(Number(text('hours'))) }, (values) => values)}
      send={({ hours }, key) =>
        api.call('POST /v1/webhooks/{id}/rotate-secret', place, {
          id: endpoint.id,
          body: { gracePeriodHours: hours },
          key,
        })
      }
      onDone={({ signing_secret: secret }) => onSecret(secret)}
      onBack={back}
      onTyped={(text) => setAtOnce(text('hours') === '0')}
    />
  );
}

/** In days. */
const spans: Choices = [
  ['1', 'The last 24 hours'],
  ['3', 'The last 3 days'],
  ['7', 'The last 7 days'],
  ['30', 'The last 30 days'],
  // a little less than what is kept, which goes on shrinking
  ['89.9', 'The last 90 days'],
];

function Recover({ endpoint, done, back }: WayProps) {
  const { api, place, now } = useScreenContext();
  return (
    <RequestForm
      name="Send what it missed"
      word="Send what it missed"
      fields={[
        () => <Effects effects={recoverEffects} />,
        { name: 'days', label: 'Events of', options: spans },
      ]}
      read={(text) =>
        readForm({ days: good(Number(text('days'))) }, ({ days }) =>
          new Date(now - days * dayMs).toISOString(),
        )
      }
      send={(since, key) =>
        api.call('POST /v1/webhooks/{id}/recover', place, { id: endpoint.id, body: { since }, key })
      }
      onDone={({ queued }) =>
        done(queued === 0 ? 'It has missed nothing.' : `${counted(queued, 'event is', 'events are')} queued.`)
      }
      onBack={back}
    />
  );
}

const recoverEffects = [
  'Every event of that time that it receives and has not accepted is sent, the oldest first.',
  'That includes events from before the endpoint existed.',
  'They carry their old ids: a server that stores the ids it has processed handles none twice.',
];

function Delete({ endpoint, back }: Omit<WayProps, 'done'>) {
  const { api, place, to, go, announce } = useScreenContext();
  return (
    <ActionForm
      word="Delete the endpoint"
      isDanger
      send={() => api.call('DELETE /v1/webhooks/{id}', place, { id: endpoint.id })}
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
