/** A screen that is a form alone, declared. */
import type { ComponentType } from 'preact';
import { usePageContext } from './context.ts';
import { BackLink } from './parts/back-link.tsx';
import type { Entry, Link, Route } from './route.ts';
import { operatorScreen, screen, type Screen } from './screen.tsx';

export interface FormScreenSpec {
  readonly route: Route<object>;
  readonly title: string;
  readonly navigation: Entry;
  /** The list of what it makes. */
  readonly back: readonly [word: string, link: Link];
  readonly form: ComponentType;
}

const specOf = ({ route, title, navigation, back: [word, link], form: Form }: FormScreenSpec) => ({
  route,
  title,
  navigation,
  // the form needs nothing
  load: () => ({ key: title, ask: () => Promise.resolve({ ok: true, value: null } as const) }),
  view: () => {
    const { to } = usePageContext();
    return (
      <main class="page narrow" id="main">
        <BackLink to={to(link)}>{word}</BackLink>
        <h1 tabIndex={-1}>{title}</h1>
        <section class="slip lone act" aria-label={title}>
          <Form />
        </section>
      </main>
    );
  },
});

export const formScreen = (spec: FormScreenSpec): Screen => screen({ ...specOf(spec), follows: [] });
export const operatorFormScreen = (spec: FormScreenSpec): Screen => operatorScreen(specOf(spec));
