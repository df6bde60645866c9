/** The operator's screens, of the whole service: no project, no mode, and no socket. */
import type { PageContext } from './context.ts';
import { noNews } from './live/news-heard.ts';
import { PageFrame, useAnnouncer, useQuestions, useTicks } from './page-frame.tsx';
import { Bar } from './parts/bar.tsx';
import type { LogOut } from './parts/log-out.tsx';
import { addressOf, type Below } from './route.ts';
import { homeLink, operatorEntries, operatorShownAt } from './screens/list.ts';
import type { Api } from './wire/api.ts';
import type { Me } from './wire/types.ts';

export interface OperatorViewProps {
  readonly api: Api;
  readonly me: Me;
  readonly below: Below;
  readonly go: (address: string) => void;
  readonly logOut: LogOut;
  readonly onProjectsChanged: () => void;
}

export function OperatorView({ api, me, below, go, logOut, onProjectsChanged }: OperatorViewProps) {
  const questions = useQuestions();
  const [sentence, announce] = useAnnouncer();
  useTicks();
  const shown = operatorShownAt(below);
  const context: PageContext = {
    api,
    scope: 'operator',
    titleWord: 'Operator',
    news: noNews,
    follows: [],
    isReady: true,
    isLive: false,
    now: Date.now(),
    isSandbox: false,
    realNow: Date.now(),
    to: (to) => addressOf(null, to),
    go,
    announce,
    questions,
    onProjectsChanged,
  };
  return (
    <PageFrame context={context} shown={shown} sentence={sentence}>
      <Bar
        me={me}
        place={null}
        entries={operatorEntries}
        homeLink={homeLink}
        current={shown?.navigation ?? null}
        connection={null}
        isFollowed={false}
        attention={null}
        logOut={logOut}
      />
    </PageFrame>
  );
}
