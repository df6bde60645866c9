/** The definition of a screen: its address, its entry in the bar, its first query, and its view. */
import type { ComponentChildren, ComponentType, VNode } from 'preact';
import { useAsked, type Asked, type Query } from './asked.ts';
import {
  PageContextProvider,
  ScreenContextProvider,
  usePageContext,
  useScreenContext,
  type PageContext,
  type ScreenContext,
} from './context.ts';
import { useTitle } from './heading.ts';
import type { Follows } from './live/news-heard.ts';
import { ScreenNotes } from './parts/screen-notes.tsx';
import type { Below, Entry, Route } from './route.ts';

/** Props of a view. */
export interface Viewed<Params, Value> {
  readonly params: Params;
  /** The result of `load`. */
  readonly asked: Asked<Value>;
}

export interface ScreenSpec<Params, Value, Context extends PageContext = ScreenContext> {
  readonly route: Route<Params>;
  /** In the browser's tab: of one object its name, or its id while that is not known; the tab may be narrow, so
   *  the name comes first. The context has the copies that the socket brings, which may be newer than the answer. */
  readonly title: string | ((params: Params, value: Value | null, context: Context) => string);
  /** The entry of the bar that is highlighted while it is shown. */
  readonly navigation: Entry;
  /** How what it shows stays true. The kinds that it shows beside those whose changes the socket sends whole; it asks
   *  again when one of them has changed. `nothing`: it is of the moment when it was asked for, and says so. */
  readonly follows: Follows;
  /** `real`: its times are real time in the sandbox, too, and it says so. */
  readonly clock?: 'real';
  readonly load: (context: Context, params: Params) => Query<Value>;
  readonly view: ComponentType<Viewed<Params, Value>>;
}

/** A screen at one address. */
export interface Shown {
  readonly navigation: Entry;
  readonly isList: boolean;
  /** Whether it shows changes by itself. */
  readonly isFollowed: boolean;
  /** Another filter or page of a list is the same screen. */
  readonly identity: string;
  readonly view: VNode;
}

export interface Screen {
  readonly navigation: Entry;
  /** null: the address belongs to another screen. */
  readonly at: (below: Below) => Shown | null;
}

interface ProvidedContext<Context> {
  readonly value: Context;
  readonly children: ComponentChildren;
}

/** A screen of a place. */
export const screen = <Params, Value>(spec: ScreenSpec<Params, Value>): Screen =>
  screenIn(useScreenContext, ScreenContextProvider, spec);

/** A screen of the operator, of the whole service. It has no socket, so it is polled. */
export const operatorScreen = <Params, Value>(
  spec: Omit<ScreenSpec<Params, Value, PageContext>, 'follows' | 'clock'>,
): Screen => screenIn(usePageContext, PageContextProvider, { ...spec, follows: [] });

function screenIn<Params, Value, Context extends PageContext>(
  useContext: () => Context,
  Provider: ComponentType<ProvidedContext<Context>>,
  { route, title, navigation, follows, clock, load, view: View }: ScreenSpec<Params, Value, Context>,
): Screen {
  function Loaded({ params }: { readonly params: Params }) {
    const context = useContext();
    const { key, ask } = load(context, params);
    const asked = useAsked(key, ask);
    const isRealTime = clock === 'real' && context.isSandbox;
    useTitle(typeof title === 'string' ? title : title(params, asked.value, context));
    return (
      <>
        <ScreenNotes asked={follows === 'nothing' ? asked : null} isRealTime={isRealTime} />
        <View params={params} asked={asked} />
      </>
    );
  }
  /** What the screen has declared counts for all its parts. */
  function Placed({ params }: { readonly params: Params }) {
    const context = useContext();
    const now = clock === 'real' ? context.realNow : context.now;
    const own: Context = { ...context, follows, now };
    return (
      <PageContextProvider value={own}>
        <Provider value={own}>
          <Loaded params={params} />
        </Provider>
      </PageContextProvider>
    );
  }
  const isFollowed = follows !== 'nothing';
  return {
    navigation,
    at: (below) => {
      const params = route.read(below);
      if (params === null) return null;
      const identity = below.path;
      const view = <Placed key={identity} params={params} />;
      return { navigation, isList: route.isList, isFollowed, identity, view };
    },
  };
}
