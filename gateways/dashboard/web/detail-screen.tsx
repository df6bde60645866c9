/** A screen of one object, declared: its address, how it is loaded and named, and what is shown of it. The way back,
 *  the heading with the id, and the notices of what is not known yet or not there are written here. */
import type { ComponentType } from 'preact';
import type { Asked, Query } from './asked.ts';
import { usePageContext, useScreenContext, type PageContext, type ScreenContext } from './context.ts';
import type { Follows } from './live/news-heard.ts';
import { BackLink } from './parts/back-link.tsx';
import { Id } from './parts/copy.tsx';
import { Glyph, UserText } from './parts/marks.tsx';
import { Failed, Loading, EmptyList, type EmptyWords } from './parts/notices.tsx';
import type { Entry, Link, Route } from './route.ts';
import { operatorScreen, screen, type Screen } from './screen.tsx';

/** Props of what is shown of an object. `again`: asks for it again. */
export interface DetailProps<Known, Params = { readonly id: string }> {
  readonly known: Known;
  readonly params: Params;
  readonly again: () => void;
}

export interface DetailSpec<Value, Known, Params, Context> {
  readonly route: Route<Params>;
  readonly navigation: Entry;
  readonly follows: Follows;
  /** What it is: `Plan`. */
  readonly kind: string;
  /** What its id is called: `plan id`. */
  readonly idWord: string;
  readonly idOf: (params: Params) => string;
  /** The screen that lists it. */
  readonly back: readonly [word: string, link: Link | ((params: Params) => Link)];
  readonly load: (context: Context, params: Params) => Query<Value>;
  /** With the copy that the socket has brought, which may be newer; null: it is not known yet, or not there. */
  readonly newest: (answered: Value | null, params: Params, context: Context) => Known | null;
  /** Its own name, in the heading and in the browser's tab; there the id stands for one that has none. */
  readonly name: (known: Known) => string | null;
  /** In the heading instead. */
  readonly heading?: (known: Known) => string;
  /** In the browser's tab instead. */
  readonly tab?: (known: Known | null, params: Params) => string;
  /** What is made for it. */
  readonly action?: (known: Known, params: Params) => readonly [word: string, link: Link] | null;
  /** The API has answered without it. */
  readonly missing?: EmptyWords;
  readonly linesLoading?: number;
  readonly view: ComponentType<DetailProps<Known, Params>>;
}

/** Where the object is what the API answers, under the id of the address. */
type Usual = 'newest' | 'idOf';
type OfId<Known, Context> = Omit<DetailSpec<Known, Known, { readonly id: string }, Context>, Usual> &
  Partial<Pick<DetailSpec<Known, Known, { readonly id: string }, Context>, Usual>>;

const idOf = ({ id }: { readonly id: string }): string => id;

export const detailScreen = <Known,>(spec: OfId<Known, ScreenContext>): Screen =>
  detailScreenOf({ idOf, newest: (answered) => answered, ...spec });

/** Of an object that is found in the answer, or under other ids. */
export const detailScreenOf = <Value, Known, Params>(
  spec: DetailSpec<Value, Known, Params, ScreenContext>,
): Screen =>
  screen({
    ...spec,
    title: (params, answered, context) => tabOf(spec, spec.newest(answered, params, context), params),
    view: ({ params, asked }) => {
      const known = spec.newest(asked.value, params, useScreenContext());
      return <Detail spec={spec} params={params} asked={asked} known={known} />;
    },
  });

/** Of the whole service, for the operator. */
export const operatorDetailScreen = <Known,>(
  given: Omit<OfId<Known, PageContext>, Usual | 'follows'>,
): Screen => {
  const spec = { ...given, idOf };
  return operatorScreen({
    ...spec,
    title: (params, answered) => tabOf(spec, answered, params),
    view: ({ params, asked }) => <Detail spec={spec} params={params} asked={asked} known={asked.value} />,
  });
};

type Shown<Known, Params> = Omit<DetailSpec<never, Known, Params, never>, 'load' | 'newest' | 'follows'>;

function tabOf<Known, Params>(
  { kind, idOf: textOf, name, tab }: Shown<Known, Params>,
  known: Known | null,
  params: Params,
): string {
  if (tab !== undefined) return tab(known, params);
  return `${(known === null ? null : name(known)) ?? textOf(params)} · ${kind}`;
}

interface DetailFrameProps<Known, Params> extends Pick<DetailProps<Known, Params>, 'params'> {
  readonly spec: Shown<Known, Params>;
  readonly asked: Asked<unknown>;
  readonly known: Known | null;
}

function Detail<Known, Params>({ spec, params, asked, known }: DetailFrameProps<Known, Params>) {
  const { to } = usePageContext();
  const { kind, back, idWord, missing, linesLoading = 5, view: View } = spec;
  const { value, failure, again } = asked;
  const [backWord, backLink] = back;
  const action = known === null ? null : (spec.action?.(known, params) ?? null);
  return (
    <main class="page" id="main">
      <BackLink to={to(typeof backLink === 'function' ? backLink(params) : backLink)}>{backWord}</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>{known === null ? kind : <Heading spec={spec} known={known} />}</h1>
        <Id id={spec.idOf(params)} what={idWord} />
        {action !== null && (
          <a class="button fit begin" href={to(action[1])}>
            <Glyph name="plus" />
            {action[0]}
          </a>
        )}
      </div>
      {failure !== null && <Failed failure={failure} again={again} whole={known === null} />}
      {known === null && value === null && failure === null && (
        <Loading lines={linesLoading} what={`the ${kind.toLowerCase()}`} />
      )}
      {known === null && value !== null && missing !== undefined && <EmptyList words={missing} />}
      {known !== null && <View known={known} params={params} again={again} />}
    </main>
  );
}

function Heading<Known, Params>({
  spec: { kind, name, heading },
  known,
}: Pick<DetailFrameProps<Known, Params>, 'spec'> & { readonly known: Known }) {
  if (heading !== undefined) return <>{heading(known)}</>;
  const own = name(known);
  return own === null ? <>{kind}</> : <UserText text={own} />;
}
