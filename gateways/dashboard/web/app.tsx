/** The logged-in user, and the screen to show. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAddress, type Going } from './address.ts';
import { ArrivalProvider, useArrival, type Arrival } from './heading.ts';
import type { LogOut } from './parts/log-out.tsx';
import { Failed, Loading } from './parts/notices.tsx';
import { addressOf, home, mayOpen, usualPlace, whereOf } from './route.ts';
import { homeLink, isListAt, operatorHomeLink } from './screens/list.ts';
import { Login } from './screens/login.tsx';
import { NoProject, UnknownPlace } from './screens/not-found.tsx';
import { OperatorView } from './operator-view.tsx';
import { ProjectView } from './project-view.tsx';
import { openApi, type Api } from './wire/api.ts';
import type { Failure } from './wire/failure.ts';
import { uploaded } from './wire/upload.ts';
import type { Me, Place } from './wire/types.ts';

type Visitor =
  | { readonly is: 'asking' }
  | { readonly is: 'unknown'; readonly failure: Failure }
  | { readonly is: 'out'; readonly reason: string | null }
  | { readonly is: 'in'; readonly me: Me };

const ended = 'Your login has ended. Log in again to go on where you were.';

export function App() {
  const arrival = useRef<Arrival>({ isOver: false });
  return (
    <ArrivalProvider value={arrival.current}>
      <Door />
    </ArrivalProvider>
  );
}

function Door() {
  const arrival = useArrival();
  const [visitor, setVisitor] = useState<Visitor>({ is: 'asking' });
  const [times, setTimes] = useState(0);
  const going = useAddress(isListAt);
  const api = useMemo(
    () =>
      openApi({
        fetch: (...request) => fetch(...request),
        sendUpload: uploaded,
        // of several requests refused together, only the first knows that a login has ended
        onLoggedOut: () =>
          setVisitor((before) =>
            before.is === 'out' ? before : { is: 'out', reason: before.is === 'in' ? ended : null },
          ),
      }),
    [],
  );
  useEffect(() => {
    void api.me().then((result) => {
      // the first thing shown was a login or a failure
      if (!result.ok) arrival.isOver = true;
      if (result.ok) setVisitor({ is: 'in', me: result.value });
      else if (result.failure.status === 401) setVisitor({ is: 'out', reason: null });
      else setVisitor({ is: 'unknown', failure: result.failure });
    });
  }, [api, times]);

  switch (visitor.is) {
    case 'asking':
      return <Loading lines={0} what="the dashboard" />;
    case 'unknown':
      return (
        <main class="page">
          <Failed failure={visitor.failure} again={() => setTimes(times + 1)} whole />
        </main>
      );
    case 'out':
      return <Login api={api} reason={visitor.reason} onIn={(me) => setVisitor({ is: 'in', me })} />;
    case 'in':
      return (
        <Inside
          api={api}
          me={visitor.me}
          going={going}
          onMe={(me) => setVisitor({ is: 'in', me })}
          onOut={(reason) => setVisitor({ is: 'out', reason })}
        />
      );
  }
}

interface InsideProps {
  readonly api: Api;
  readonly me: Me;
  readonly going: Going;
  readonly onMe: (me: Me) => void;
  readonly onOut: (reason: string | null) => void;
}

function Inside({ api, me, going, onMe, onOut }: InsideProps) {
  const { address, go, replace } = going;
  const where = whereOf(address.path, address.search);
  const place = where.is === 'place' ? where.place : null;
  const first = usualPlace(me, lastPlace());
  const isHome = where.is === 'home';
  const firstAddress = firstAddressOf(me, first);

  useEffect(() => {
    if (isHome && firstAddress !== null) replace(firstAddress);
  }, [isHome, firstAddress]);
  useEffect(() => {
    if (place !== null) remember(place);
  }, [place?.projectId, place?.mode]);

  const logOut = useCallback<LogOut>(async () => {
    const result = await api.logOut();
    if (!result.ok) return result.failure;
    onOut('You are logged out.');
    return null;
  }, [api]);
  const checkLogin = useCallback(async (): Promise<void> => {
    const result = await api.me();
    if (!result.ok && result.failure.status === 401) onOut(ended);
  }, [api]);

  const readProjects = useCallback(async (): Promise<void> => {
    const result = await api.me();
    if (result.ok) onMe(result.value);
  }, [api]);
  const onProjectsChanged = (): void => void readProjects();

  if (firstAddress === null) return <NoProject me={me} logOut={logOut} />;
  if (isHome) return null;
  if (where.is === 'operator' && me.role === 'operator')
    return <OperatorView {...{ api, me, below: where.below, go, logOut, onProjectsChanged }} />;
  if (where.is !== 'place' || !mayOpen(me, where.place)) return <UnknownPlace first={firstAddress} />;
  return (
    <ProjectView
      key={`${where.place.projectId} ${where.place.mode}`}
      api={api}
      me={me}
      place={where.place}
      below={where.below}
      go={go}
      logOut={logOut}
      onLoginInDoubt={() => void checkLogin()}
      onProjectsChanged={onProjectsChanged}
    />
  );
}

/** The first address of a login; an operator without a project begins with the merchants. */
function firstAddressOf({ role }: Me, first: Place | null): string | null {
  if (first !== null) return addressOf(first, homeLink);
  return role === 'operator' ? addressOf(null, operatorHomeLink) : null;
}

const rememberedAs = 'galla.place';

function lastPlace(): Place | null {
  const where = whereOf(`${home}/${remembered()}`, '');
  return where.is === 'place' ? where.place : null;
}

/** Browser storage may be unavailable; then nothing is remembered. */
function remembered(): string {
  try {
    return localStorage.getItem(rememberedAs) ?? '';
  } catch {
    return '';
  }
}

function remember({ projectId, mode }: Place): void {
  try {
    localStorage.setItem(rememberedAs, `${projectId}/${mode}`);
  } catch {
    return;
  }
}
