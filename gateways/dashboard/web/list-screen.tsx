/** A screen that is a list, declared: its address, where the API lists it, its filters, its rows, and what it says when
 *  there are none. Its own folder holds nothing but that; the layout is written here and in parts/list-section.tsx. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Query } from './asked.ts';
import { usePageContext, useScreenContext, type PageContext, type ScreenContext } from './context.ts';
import { queryOf } from './lists/filters.ts';
import type { Follows } from './live/news-heard.ts';
import { BackLink } from './parts/back-link.tsx';
import { ListSection, type ListParams, type ListProps, type ListSpec } from './parts/list-section.tsx';
import { Glyph } from './parts/marks.tsx';
import type { Entry, Link } from './route.ts';
import { operatorScreen, screen, type Screen } from './screen.tsx';
import type { ListName } from './wire/call.ts';
import type { Listed, Place } from './wire/types.ts';

/** A screen that is a list. */
export interface ListScreenSpec<Row, Params extends ListParams, Context> extends ListSpec<Row, Params> {
  /** Its heading, and its name in the browser's tab. */
  readonly title: string;
  readonly navigation: Entry;
  readonly follows: Follows;
  readonly clock?: 'real';
  /** The call that lists it. */
  readonly from: ListName<Row> | ((filters: Params['filters']) => ListName<Row>);
  /** For the API; absent: the filters by their names. */
  readonly query?: (filters: Params['filters'], context: Context) => URLSearchParams;
  /** The screen that leads here. */
  readonly back?: Entry;
  /** Lists beside it, by their titles. */
  readonly tabs?: readonly (readonly [title: string, link: Link])[];
  /** What makes another one. */
  readonly action?: readonly [word: string, link: Link];
  readonly lead?: ComponentChildren;
  /** Between the heading and the list. */
  readonly above?: ComponentType<{ readonly again: () => void }>;
}

export const listScreen = <Row, Params extends ListParams>(
  spec: ListScreenSpec<Row, Params, ScreenContext>,
): Screen =>
  screen({
    ...spec,
    load: (context, { filters }) =>
      queryFor<Row, Params, ScreenContext>(spec, filters, context, context.place),
    view: ({ params, asked }) => {
      const context = useScreenContext();
      const query = queryIn(spec, params.filters, context);
      return <ListPage spec={spec} params={params} asked={asked} query={query} />;
    },
  });

/** Of the whole service, for the operator. */
export const operatorListScreen = <Row, Params extends ListParams>(
  spec: Omit<ListScreenSpec<Row, Params, PageContext>, 'follows' | 'clock' | 'shown'>,
): Screen =>
  operatorScreen({
    ...spec,
    load: (context, { filters }) => queryFor<Row, Params, PageContext>(spec, filters, context, null),
    view: ({ params, asked }) => <ListPage spec={spec} params={params} asked={asked} />,
  });

type Asking<Row, Params extends ListParams, Context> = Pick<
  ListScreenSpec<Row, Params, Context>,
  'from' | 'query'
>;

const queryIn = <Params extends ListParams, Context>(
  { query }: Pick<ListScreenSpec<never, Params, Context>, 'query'>,
  filters: Params['filters'],
  context: Context,
): URLSearchParams => (query === undefined ? queryOf(filters) : query(filters, context));

function queryFor<Row, Params extends ListParams, Context extends PageContext>(
  { from, ...spec }: Asking<Row, Params, Context>,
  filters: Params['filters'],
  context: Context,
  place: Place | null,
): Query<Listed<Row>> {
  const name = typeof from === 'function' ? from(filters) : from;
  return {
    // by the filters: what is asked for may name an instant, which goes on
    key: `${name} ${queryOf(filters)}`,
    ask: () => context.api.list(name, place, queryIn(spec, filters, context)),
  };
}

type PageSpec<Row, Params extends ListParams> = ListSpec<Row, Params> &
  Pick<
    ListScreenSpec<Row, Params, never>,
    'title' | 'navigation' | 'back' | 'tabs' | 'action' | 'lead' | 'above'
  >;

function ListPage<Row, Params extends ListParams>({
  spec,
  params,
  asked,
  query,
}: ListProps<Listed<Row>, PageSpec<Row, Params>, Params>) {
  const { to } = usePageContext();
  const { title, navigation, back, tabs, action, lead, above: Above } = spec;
  const heading = <h1 tabIndex={-1}>{title}</h1>;
  return (
    <main class="page" id="main">
      {back !== undefined && <BackLink to={to(back.link)}>{back.word}</BackLink>}
      {tabs !== undefined && <Tabs name={navigation.word} tabs={tabs} current={title} />}
      {action === undefined ? (
        heading
      ) : (
        <div class="heading">
          {heading}
          <a class="button fit begin" href={to(action[1])}>
            <Glyph name="plus" />
            {action[0]}
          </a>
        </div>
      )}
      {lead !== undefined && <p class="lead soft">{lead}</p>}
      {Above !== undefined && <Above again={asked.again} />}
      <ListSection spec={spec} params={params} asked={asked} {...(query === undefined ? {} : { query })} />
    </main>
  );
}

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly (readonly [title: string, link: Link])[];
  readonly current: string;
}

function Tabs({ name, tabs, current }: TabsProps) {
  const { to } = usePageContext();
  return (
    <nav class="tabs" aria-label={name}>
      {tabs.map(([title, link]) => (
        <a key={title} href={to(link)} aria-current={title === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
