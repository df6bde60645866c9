/** The rows of docs/reference/features.md, and which of them a test names in its title (`row N: ...`). */
import { read, sourcesIn } from './house.ts';

export const featuresPath = 'docs/reference/features.md';

/** `in part`: a test names the row, but not everything the row asks for is built. */
export type State = 'tested' | 'in part' | 'not yet';

export interface Feature {
  readonly row: number;
  readonly feature: string;
  readonly state: string;
}

export const features = (text = read(featuresPath)): readonly Feature[] =>
  [...text.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, row, feature = '', state = '']) => ({
    row: Number(row),
    feature: feature.trim(),
    state: state.trim(),
  }));

export const testedRows = (): ReadonlySet<number> =>
  new Set(
    sourcesIn('test')
      .filter(({ path }) => path.endsWith('.test.ts'))
      .flatMap(({ text }) => [...text.matchAll(/['"`]row (\d+): /g)].map((match) => Number(match[1]))),
  );

/** What the page must say of a row: a test alone does not make a whole feature, no test makes none. */
export function stateOf({ row, state }: Feature, tested: ReadonlySet<number>): State {
  if (!tested.has(row)) return 'not yet';
  return state === 'in part' ? 'in part' : 'tested';
}
