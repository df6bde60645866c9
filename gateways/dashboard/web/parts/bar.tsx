/** The top of every screen: the project, whether the mode is live or sandbox, and whether the data shown is
 *  current. */
import { useRef } from 'preact/hooks';
import type { Connection } from '../live/live-state.ts';
import { usePageContext, useScreenContext } from '../context.ts';
import { addressOf, type Entry, type Link } from '../route.ts';
import type { Attention, Me, Mode, Place } from '../wire/types.ts';
import { clockText } from '../words/time.ts';
import { LogOutButton, type LogOut } from './log-out.tsx';
import { Glyph, UserText } from './marks.tsx';
import { Sections } from './sections.tsx';
import { useClosing } from './use-closing.ts';

export interface BarProps {
  readonly me: Me;
  /** null: outside every project. */
  readonly place: Place | null;
  /** In display order. */
  readonly entries: readonly Entry[];
  /** The section of the current screen; null: none. */
  readonly current: Entry | null;
  /** The first section. */
  readonly homeLink: Link;
  /** null: nothing is live here. */
  readonly connection: Connection | null;
  /** Whether the current screen shows changes by itself. */
  readonly isFollowed: boolean;
  /** null: not known, or nothing waits here. */
  readonly attention: Attention | null;
  readonly logOut: LogOut;
}

export const Bar = ({
  me,
  place,
  entries,
  current,
  homeLink,
  connection,
  isFollowed,
  attention,
  logOut,
}: BarProps) => (
  <header class={place === null ? 'bar of-operator' : 'bar'}>
    <div class="bar-in">
      <ProjectChooser me={me} place={place} homeLink={homeLink} />
      {place !== null && <Modes place={place} there={current?.link ?? homeLink} />}
      {connection !== null && <State connection={connection} isFollowed={isFollowed} />}
      <Account email={me.email} logOut={logOut} />
      <Sections entries={entries} current={current} attention={attention} />
    </div>
  </header>
);

function ProjectChooser({ me, place, homeLink }: Pick<BarProps, 'me' | 'place' | 'homeLink'>) {
  const { go } = usePageContext();
  const { projects } = me;
  const here = projects.find(({ id }) => id === place?.projectId);
  const merchants = [...new Set(projects.map(({ merchantName }) => merchantName))];
  return (
    <div class="whose">
      <span class="monogram" aria-hidden="true">
        <Glyph name="till" />
      </span>
      {projects.length === 1 && here !== undefined ? (
        <p class="project">
          <strong>
            <UserText text={here.merchantName} />
          </strong>
        </p>
      ) : (
        <label class="chooser">
          <span class="unseen">Project</span>
          <select
            value={place?.projectId ?? ''}
            onChange={({ currentTarget }) =>
              go(addressOf({ projectId: currentTarget.value, mode: place?.mode ?? 'sandbox' }, homeLink))
            }
          >
            {place === null && <option value="">All projects</option>}
            {place !== null && here === undefined && (
              <option value={place.projectId}>{place.projectId}</option>
            )}
            {merchants.map((merchant) => (
              <optgroup key={merchant} label={merchant}>
                {projects
                  .filter(({ merchantName }) => merchantName === merchant)
                  .map(({ id, name }) => (
                    <option key={id} value={id}>
                      {merchants.length > 1 && name !== merchant ? `${merchant} · ${name}` : name}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
          <Glyph name="down" />
        </label>
      )}
    </div>
  );
}

const modes: readonly (readonly [Mode, string])[] = [
  ['sandbox', 'Sandbox'],
  ['live', 'Live'],
];

/** Another mode is another set of payments: it begins at the first screen. */
function Modes({ place, there }: { readonly place: Place; readonly there: Link }) {
  return (
    <nav class="modes" aria-label="Mode">
      {modes.map(([mode, word]) => (
        <a
          key={mode}
          href={addressOf({ projectId: place.projectId, mode }, there)}
          class={mode}
          aria-current={mode === place.mode ? 'true' : undefined}
        >
          {word}
        </a>
      ))}
    </nav>
  );
}

const stateWords: Readonly<Record<Connection['is'], string>> = {
  connecting: 'Connecting',
  connected: 'Up to date',
  lost: 'Not connected',
  suspended: 'Suspended',
  refused: 'Not live',
};

interface StateProps extends Pick<BarProps, 'isFollowed'> {
  readonly connection: Connection;
}

/** A screen that does not follow what it shows says of when it is (screen-notes.tsx). */
const State = ({ connection: { is }, isFollowed }: StateProps) => (
  <p class={`link-state ${is}${isFollowed ? '' : ' unfollowed'}`}>
    <span class="dot" aria-hidden="true" />
    <span class="state-word">{is === 'connected' && !isFollowed ? 'Connected' : stateWords[is]}</span>
  </p>
);

function Account({ email, logOut }: { readonly email: string; readonly logOut: LogOut }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useClosing(menu);
  return (
    <details class="account" ref={menu}>
      <summary aria-label="Account" title="Account">
        <Glyph name="person" />
      </summary>
      <div class="card-menu">
        <p class="soft">Logged in as</p>
        <p class="who">{email}</p>
        <LogOutButton logOut={logOut} />
      </div>
    </details>
  );
}

/** Stale numbers that look current are worse than none. */
export function Trouble({ onTryNow }: { readonly onTryNow: () => void }) {
  const { connection, receivedAt, skewMs } = useScreenContext().liveState;
  if (connection.is !== 'lost' && connection.is !== 'refused') return null;
  const asOf = receivedAt === null ? null : clockText(receivedAt + skewMs);
  return (
    <div class="trouble">
      <p>
        <Glyph name="note" />
        <span>
          {connection.is === 'refused' ? (
            <>
              <b>No live updates.</b> {connection.message} Lists and totals are asked for every ten seconds
              instead.
            </>
          ) : (
            <>
              <b>Not connected.</b>{' '}
              {asOf === null ? 'The numbers come with the connection.' : `The totals are those of ${asOf}.`}{' '}
              {connection.why !== undefined && `${connection.why} `}It is tried again by itself.
            </>
          )}
        </span>
        {connection.is === 'lost' && (
          <button type="button" class="link" onClick={onTryNow}>
            Try now
          </button>
        )}
      </p>
    </div>
  );
}
