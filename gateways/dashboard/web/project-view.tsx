/** One project in one mode: its socket, its clock, its screen reader announcements, and the screen within. */
import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { ScreenContextProvider, type ScreenContext } from './context.ts';
import { useEvery } from './asked.ts';
import { useArrival } from './heading.ts';
import { PageFrame, useAnnouncer, useQuestions, useTicks } from './page-frame.tsx';
import { Bar, Trouble } from './parts/bar.tsx';
import { ClockControl } from './parts/clock-control.tsx';
import type { LogOut } from './parts/log-out.tsx';
import { SuspendedNotice } from './parts/suspended-notice.tsx';
import { liveStateAfter, emptyLiveState } from './live/live-state.ts';
import type { Connection, LiveMessage, LiveState } from './live/live-state.ts';
import { LiveSocket } from './live/live-socket.ts';
import { firstAskMsMax } from './live/news-heard.ts';
import { useAttention } from './live/use-attention.ts';
import { connectionAnnouncement, paidAnnouncement } from './live/announcements.ts';
import { addressOf, type Below } from './route.ts';
import { entriesFor, homeLink, shownAt } from './screens/list.ts';
import type { Api } from './wire/api.ts';
import type { Me, Payment, Place } from './wire/types.ts';

export interface ProjectViewProps {
  readonly api: Api;
  readonly me: Me;
  readonly place: Place;
  readonly below: Below;
  readonly go: (address: string) => void;
  readonly logOut: LogOut;
  readonly onLoginInDoubt: () => void;
  readonly onProjectsChanged: () => void;
}

/** Polling interval of the totals while the socket is disconnected. */
const pollMs = 10_000;
/** Payments are announced together, at this interval in milliseconds. */
const gatherMs = 1_500;

export function ProjectView(props: ProjectViewProps) {
  const { api, me, place, below, go, logOut, onLoginInDoubt, onProjectsChanged } = props;
  const [liveState, onMessage] = useReducer(liveStateAfter, emptyLiveState);
  const liveSocket = useRef<LiveSocket | null>(null);
  const questions = useQuestions();
  const [sentence, announce] = useAnnouncer();
  useAnnouncedChanges(liveState, announce);
  useAnnouncedPlace(me, place, announce);
  const shown = shownAt(below);

  useEffect(() => {
    const opened = new LiveSocket(place, { onMessage, onLoginInDoubt });
    liveSocket.current = opened;
    return () => opened.close();
  }, []);

  useTotals(props, liveState.connection, onMessage);
  const isReady = useReady(liveState.connection);
  const attention = useAttention(api, place, liveState, isReady, announce);
  useTicks();

  const context: ScreenContext = {
    api,
    scope: `${place.projectId} ${place.mode}`,
    titleWord: place.mode === 'live' ? 'Live' : 'Sandbox',
    news: liveState.news,
    follows: [],
    isReady,
    isLive: liveState.connection.is === 'connected',
    place,
    liveState,
    attention,
    now: Date.now() + liveState.skewMs,
    isSandbox: place.mode === 'sandbox',
    realNow: Date.now() + liveState.realSkewMs,
    to: (to) => addressOf(place, to),
    go,
    announce,
    questions,
    onProjectsChanged,
    onClockMoved: (now) => onMessage({ is: 'clock', now, at: Date.now() }),
  };
  return (
    <ScreenContextProvider value={context}>
      <PageFrame context={context} shown={shown} sentence={sentence}>
        {place.mode === 'sandbox' && (
          <div class="strip sandbox-strip" role="note">
            <span>
              <b>Sandbox:</b> no real money moves
            </span>
            <ClockControl />
          </div>
        )}
        <Bar
          me={me}
          place={place}
          entries={entriesFor(me.role)}
          homeLink={homeLink}
          current={shown?.navigation ?? null}
          connection={liveState.connection}
          isFollowed={shown?.isFollowed ?? true}
          attention={attention}
          logOut={logOut}
        />
        <Trouble onTryNow={() => liveSocket.current?.tryNow()} />
        <SuspendedNotice />
      </PageFrame>
    </ScreenContextProvider>
  );
}

/** An answer of before the snapshot may miss a change that the socket does not report. So the first questions wait for
 *  the snapshot, until the socket has failed or `firstAskMsMax` has passed; then they are asked again after it. */
function useReady({ is }: Connection): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setOver(true), firstAskMsMax);
    return () => window.clearTimeout(timer);
  }, []);
  return isOver || is !== 'connecting';
}

/** While the socket is not connected, the totals are asked for. */
function useTotals(
  { api, place }: Pick<ProjectViewProps, 'api' | 'place'>,
  { is }: Connection,
  onMessage: (message: LiveMessage) => void,
): void {
  const ask = useCallback(async () => {
    const result = await api.call('GET today', place);
    if (result.ok) onMessage({ is: 'today', today: result.value, at: Date.now() });
  }, []);
  useEvery(is === 'connected' ? null : pollMs, ask);
  // no snapshot brings the first totals
  useEffect(() => {
    if (is === 'suspended' || is === 'refused') void ask();
  }, [is]);
}

/** The headings are the same in all projects and modes: after a switch the new one is announced. */
function useAnnouncedPlace(
  { projects }: Me,
  { projectId, mode }: Place,
  announce: (sentence: string) => void,
): void {
  const arrival = useArrival();
  const isFirst = useRef(!arrival.isOver);
  useEffect(() => {
    if (isFirst.current) return;
    const name = projects.find(({ id }) => id === projectId)?.merchantName ?? projectId;
    announce(`${name}, ${mode === 'live' ? 'live' : 'sandbox'}.`);
  }, []);
}

function useAnnouncedChanges({ paidNow, connection }: LiveState, announce: (sentence: string) => void): void {
  const gathered = useRef<Payment[]>([]);
  const before = useRef<Connection>(connection);
  useEffect(() => {
    if (paidNow.length === 0) return;
    if (gathered.current.length === 0) {
      window.setTimeout(() => {
        const news = paidAnnouncement(gathered.current);
        gathered.current = [];
        if (news !== null) announce(news);
      }, gatherMs);
    }
    gathered.current.push(...paidNow);
  }, [paidNow]);
  useEffect(() => {
    const news = connectionAnnouncement(before.current, connection);
    before.current = connection;
    if (news !== null) announce(news);
  }, [connection]);
}
