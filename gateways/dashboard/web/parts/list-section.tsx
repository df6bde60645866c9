/** A list with its filters and its pages, from its description. On a screen of its own (list-screen.tsx) or within one.
 *  1. Every choice is an address: it can be shared, and back undoes it. */
import type { ComponentChildren, ComponentType } from 'preact';
import type { Asked } from '../asked.ts';
import { usePageContext, useScreenContext, type ScreenContext } from '../context.ts';
import { atStart, emptied, isFiltered, isUnfiltered, type Paged } from '../lists/filters.ts';
import type { Link, Route } from '../route.ts';
import type { CsvList } from '../wire/api.ts';
import type { Listed } from '../wire/types.ts';
import { Chips, type Choices } from './chips.tsx';
import { Choice } from './choice.tsx';
import { CsvButton } from './csv-button.tsx';
import { Finder, type FinderWords } from './finder.tsx';
import { EmptyList, Loading, type EmptyWords } from './notices.tsx';
import { NoMatch, PagedList, type ShownRows } from './paged-list.tsx';

/** A list's filters, and the address with some of them changed, from the first page. */
export interface Filtering<Filters> {
  readonly filters: Filters;
  readonly addressWith: (changed: Partial<Filters>) => string;
}

/** The controls above the rows, in this order. */
export interface FilterControls<Filters> {
  readonly chips?: {
    readonly name: string;
    readonly of: keyof Filters & string;
    readonly choices: Choices;
  };
  readonly csv?: CsvList;
  readonly selects?: readonly {
    readonly name: string;
    readonly of: keyof Filters & string;
    /** `chosen`: the value in the address, which is always among them. */
    readonly choices: Choices | ((chosen: string) => Choices);
  }[];
  readonly find?: {
    readonly words: FinderWords;
    readonly shows: (filters: Filters) => string;
    /** What is typed filters, or is the name of a page of its own. */
    readonly means: (typed: string) => Partial<Filters> | Link;
  };
  /** A link that takes all filters away. */
  readonly canClear?: true;
  /** A control of this list alone. */
  readonly own?: ComponentType<Filtering<Filters>>;
}

export interface NoMatchWords {
  readonly title: string;
  /** `check`: that there is none is good news. */
  readonly sign?: 'search' | 'check';
  readonly text?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Rows that are drawn each for itself. `columns`: a grid of css/. `again`: asks for the list again. */
export interface RowSpec<Row> {
  readonly columns: string;
  readonly row: ComponentType<RowProps<Row>>;
}

export interface RowProps<Row> {
  readonly row: Row;
  readonly again: () => void;
}

/** Rows that are drawn together. */
export interface RowsProps<Row, Filters> {
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly again: () => void;
}

/** Parameters of an address that filters a list. */
export interface ListParams {
  readonly filters: Paged;
}

/** The rows of a list, on a screen of their own or within one. */
export interface ListSpec<Row, Params extends ListParams> {
  readonly route: ListAddress<Params>;
  /** `['refund', 'refunds']`. */
  readonly what: readonly [one: string, many: string];
  /** Of its section; absent: `List of refunds`. */
  readonly label?: string;
  readonly controls?: FilterControls<Params['filters']>;
  /** The rows to draw, with what was received since. Absent: as the API listed them. */
  readonly shown?: (listed: Listed<Row>, params: Params, context: ScreenContext) => ShownRows<Row>;
  readonly rows: RowSpec<Row> | ComponentType<RowsProps<Row, Params['filters']>>;
  readonly empty: EmptyWords | ComponentType<{ readonly filters: Params['filters'] }>;
  /** It is still being made: that there is no row says nothing. */
  readonly isComing?: boolean;
  /** Absent: `empty` says it, whatever is filtered. */
  readonly noMatch?: NoMatchWords | ((filters: Params['filters']) => NoMatchWords);
}

export interface ListAddress<Params> extends Pick<Route<Params>, 'isList' | 'read'> {
  readonly at: (params: Params) => Link;
}

export interface ListProps<Value, Spec, Params> {
  readonly spec: Spec;
  readonly params: Params;
  readonly asked: Asked<Value>;
  /** As it is asked for: the file has the same rows. */
  readonly query?: URLSearchParams;
}

/** The controls and the rows of a list, within any screen. */
export function ListSection<Row, Params extends ListParams>({
  spec,
  params,
  asked,
  query,
}: ListProps<Listed<Row>, ListSpec<Row, Params>, Params>) {
  const { what, label = `List of ${what[1]}`, controls } = spec;
  return (
    <section class="slip lone list" aria-label={label}>
      {controls !== undefined && (
        <Controls controls={controls} route={spec.route} params={params} query={query} />
      )}
      <Pages spec={spec} params={params} asked={asked} />
    </section>
  );
}

interface ControlsProps<Params extends ListParams> {
  readonly controls: FilterControls<Params['filters']>;
  readonly route: ListAddress<Params>;
  readonly params: Params;
  readonly query?: URLSearchParams | undefined;
}

/** The filters of a list. */
export function Controls<Params extends ListParams>({
  controls: { chips, csv, selects = [], find, canClear, own: Own },
  route,
  params,
  query,
}: ControlsProps<Params>) {
  const { to, go } = usePageContext();
  const filters: Params['filters'] = params.filters;
  const addressWith = (changed: Partial<Params['filters']>): string =>
    to(route.at({ ...params, filters: { ...atStart(filters), ...changed } }));
  const addressOf = (name: keyof Params['filters'] & string, value: string): string =>
    addressWith({ [name]: value } as Partial<Params['filters']>);
  const line = chips !== undefined && (
    <Chips
      name={chips.name}
      value={String(filters[chips.of])}
      choices={chips.choices}
      addressOf={(value) => addressOf(chips.of, value)}
    />
  );
  return (
    <div class="filters">
      {csv === undefined || query === undefined ? (
        line
      ) : (
        <div class="filter-line">
          {line}
          <CsvButton list={csv} query={query} />
        </div>
      )}
      {(selects.length > 0 || find !== undefined) && (
        <div class="choices">
          {selects.map(({ name, of, choices }) => (
            <Choice
              key={of}
              name={name}
              value={String(filters[of])}
              choices={typeof choices === 'function' ? choices(String(filters[of])) : choices}
              onChoice={(value) => go(addressOf(of, value))}
            />
          ))}
          {find !== undefined && (
            <Finder
              words={find.words}
              value={find.shows(filters)}
              addressOf={(typed) => {
                const meant = find.means(typed);
                return 'below' in meant
                  ? to(meant as Link)
                  : addressWith(meant as Partial<Params['filters']>);
              }}
            />
          )}
          {canClear === true && isFiltered(filters) && (
            <a class="link" href={to(route.at({ ...params, filters: emptied(filters) }))}>
              Clear
            </a>
          )}
        </div>
      )}
      {Own !== undefined && <Own filters={filters} addressWith={addressWith} />}
    </div>
  );
}

function Pages<Row, Params extends ListParams>(props: ListProps<Listed<Row>, ListSpec<Row, Params>, Params>) {
  const { shown } = props.spec;
  if (shown === undefined) return <PagesOf {...props} shown={({ data }) => ({ rows: data })} />;
  return <LivePages {...props} shown={shown} />;
}

function LivePages<Row, Params extends ListParams>({
  shown,
  ...props
}: ListProps<Listed<Row>, ListSpec<Row, Params>, Params> & {
  readonly shown: (listed: Listed<Row>, params: Params, context: ScreenContext) => ShownRows<Row>;
}) {
  const context = useScreenContext();
  return <PagesOf {...props} shown={(listed) => shown(listed, props.params, context)} />;
}

function PagesOf<Row, Params extends ListParams>({
  spec,
  params,
  asked,
  shown,
}: ListProps<Listed<Row>, ListSpec<Row, Params>, Params> & {
  readonly shown: (listed: Listed<Row>) => ShownRows<Row>;
}) {
  const { to } = usePageContext();
  const { route, what, rows: drawn } = spec;
  const { filters } = params;
  return (
    <PagedList
      asked={asked}
      what={what}
      page={filters.page}
      addressOf={(page) => to(route.at({ ...params, filters: { ...filters, page } }))}
      shown={shown}
      empty={<Nothing spec={spec} params={params} />}
    >
      {(rows) => <Rows drawn={drawn} rows={rows} filters={filters} again={asked.again} />}
    </PagedList>
  );
}

interface DrawnProps<Row, Filters extends Paged> extends RowsProps<Row, Filters> {
  readonly drawn: ListSpec<Row, { readonly filters: Filters }>['rows'];
}

function Rows<Row, Filters extends Paged>({ drawn: Drawn, ...props }: DrawnProps<Row, Filters>) {
  if (!('columns' in Drawn)) return <Drawn {...props} />;
  const { columns, row: Each } = Drawn;
  return (
    <ul class={`rows ${columns}`}>
      {props.rows.map((row) => (
        <Each key={keyOf(row)} row={row} again={props.again} />
      ))}
    </ul>
  );
}

function Nothing<Row, Params extends ListParams>({
  spec: { route, what, empty: Words, noMatch, isComing },
  params,
}: Pick<ListProps<Listed<Row>, ListSpec<Row, Params>, Params>, 'spec' | 'params'>) {
  const { to } = usePageContext();
  const { filters } = params;
  if (isComing === true) return <Loading lines={3} what={what[1]} />;
  if (noMatch !== undefined && !isUnfiltered(filters)) {
    const { title, sign, text, children } = typeof noMatch === 'function' ? noMatch(filters) : noMatch;
    const all = to(route.at({ ...params, filters: emptied(filters) }));
    return (
      <NoMatch sign={sign ?? 'search'} title={title} answerTo={filters} many={what[1]} all={all}>
        {text !== undefined && <p class="soft">{text}</p>}
        {children}
      </NoMatch>
    );
  }
  return typeof Words === 'function' ? <Words filters={filters} /> : <EmptyList words={Words} />;
}

const keyOf = (row: unknown): string | undefined =>
  typeof row === 'object' && row !== null && 'id' in row ? String(row.id) : undefined;
