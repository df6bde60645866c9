/** The definition of a screen: its address, its entry in the bar, its first query, and its view. */
import type { ComponentType, VNode } from 'preact';
import { useAsked, type Asked, type Question } from './asked.ts';
import { usePageContext, useScreenContext, type PageContext, type ScreenContext } from './context.ts';
import { useTitle } from './heading.ts';
import type { Below, Entry, Route } from './route.ts';

/** Props of a view. */
export interface Viewed<Params, Value> {
  readonly params: Params;
  /** The result of `load`. */
  readonly asked: Asked<Value>;
}

export interface ScreenSpec<Params, Value, Context extends PageContext = ScreenContext> {
  readonly route: Route<Params>;
  /** In the browser's tab. */
  readonly title: string;
  /** The entry of the bar that is highlighted while it is shown. */
  readonly navigation: Entry;
  readonly load: (context: Context, params: Params) => Question<Value>;
  readonly view: ComponentType<Viewed<Params, Value>>;
}

/** A screen at one address. */
export interface Shown {
  readonly navigation: Entry;
  readonly isList: boolean;
  /** Another filter or page of a list is the same screen. */
  readonly identity: string;
  readonly view: VNode;
}

export interface Screen {
  readonly navigation: Entry;
  /** null: the address belongs to another screen. */
  readonly at: (below: Below) => Shown | null;
}

/** A screen of a place. */
export const screen = <Params, Value>(spec: ScreenSpec<Params, Value>): Screen =>
  screenIn(useScreenContext, spec);

/** A screen of the operator, of the whole service. */
export const operatorScreen = <Params, Value>(spec: ScreenSpec<Params, Value, PageContext>): Screen =>
  screenIn(usePageContext, spec);

function screenIn<Params, Value, Context extends PageContext>(
  useContext: () => Context,
  { route, title, navigation, load, view: View }: ScreenSpec<Params, Value, Context>,
): Screen {
  function Loaded({ params }: { readonly params: Params }) {
    const { key, ask } = load(useContext(), params);
    useTitle(title);
    return <View params={params} asked={useAsked(key, ask)} />;
  }
  return {
    navigation,
    at: (below) => {
      const params = route.read(below);
      if (params === null) return null;
      const identity = below.path;
      return { navigation, isList: route.isList, identity, view: <Loaded key={identity} params={params} /> };
    },
  };
}
