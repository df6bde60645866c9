/** Who is here, and which screen he sees. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useAddress, type Going } from './address.ts';
import { Failed, Loading } from './parts/notices.tsx';
import { addressOf, home, paymentsScreen, whereOf } from './route.ts';
import { Login } from './screens/login.tsx';
import { NoProject, UnknownPlace } from './screens/nowhere.tsx';
import { Room } from './room.tsx';
import { openApi, type Api } from './wire/api.ts';
import type { Failure } from './wire/failure.ts';
import type { Me, Place } from './wire/types.ts';

type Visitor =
  | { readonly is: 'asking' }
  | { readonly is: 'unknown'; readonly failure: Failure }
  | { readonly is: 'out'; readonly reason: string | null }
  | { readonly is: 'in'; readonly me: Me };

const ended = 'Your login has ended. Log in again to go on where you were.';

export function App() {
  const [visitor, setVisitor] = useState<Visitor>({ is: 'asking' });
  const [times, setTimes] = useState(0);
  const going = useAddress();
  const api = useMemo(
    () =>
      openApi({
        fetch: (...request) => fetch(...request),
        onLoggedOut: () => setVisitor(({ is }) => ({ is: 'out', reason: is === 'in' ? ended : null })),
      }),
    [],
  );
  useEffect(() => {
    void api.me().then((result) => {
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
          onOut={(reason) => setVisitor({ is: 'out', reason })}
        />
      );
  }
}

interface InsideProps {
  readonly api: Api;
  readonly me: Me;
  readonly going: Going;
  readonly onOut: (reason: string | null) => void;
}

function Inside({ api, me, going, onOut }: InsideProps) {
  const { address, go, replace } = going;
  const { place, screen } = whereOf(address.path, address.search);
  const first = usualPlace(me);
  const isHome = place === null && screen.name !== 'unknown';

  useEffect(() => {
    if (isHome && first !== null) replace(addressOf(first, paymentsScreen));
  }, [isHome, first?.projectId, first?.mode]);
  useEffect(() => {
    if (place !== null) remember(place);
  }, [place?.projectId, place?.mode]);

  const logOut = useCallback(async (): Promise<void> => {
    const result = await api.logOut();
    if (result.ok) onOut('You are logged out.');
  }, [api]);
  const checkLogin = useCallback(async (): Promise<void> => {
    const result = await api.me();
    if (!result.ok && result.failure.status === 401) onOut(ended);
  }, [api]);

  if (first === null) return <NoProject me={me} onLogOut={() => void logOut()} />;
  if (isHome) return null;
  const isMine = place !== null && me.projects.some(({ id }) => id === place.projectId);
  if (!isMine) return <UnknownPlace home={addressOf(first, paymentsScreen)} />;
  return (
    <Room
      key={`${place.projectId} ${place.mode}`}
      api={api}
      me={me}
      place={place}
      screen={screen}
      go={go}
      onLogOut={() => void logOut()}
      onLoginInDoubt={() => void checkLogin()}
    />
  );
}

const rememberedAs = 'galla.place';

/** Where one was last, else the first project's sandbox; null for who has no project. */
function usualPlace({ projects }: Me): Place | null {
  const last = whereOf(`${home}/${remembered()}`, '').place;
  if (last !== null && projects.some(({ id }) => id === last.projectId)) return last;
  const [first] = projects;
  return first === undefined ? null : { projectId: first.id, mode: 'sandbox' };
}

/** A browser may keep nothing; then nothing is remembered. */
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
