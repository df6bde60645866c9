/** The numbers of one node, as Prometheus reads them. */

/** Values by series, `name{labels}`. */
export type Numbers = ReadonlyMap<string, number>;

/** Looks at `/metrics` of this node. */
export const numbersOf = async (url: string): Promise<Numbers> =>
  numbersIn(await (await fetch(`${url}/metrics`)).text());

export function numbersIn(text: string): Numbers {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** All series of this name added up; of a histogram, how often it was observed. null: there is none. */
export function sumOf(numbers: Numbers, name: string): number | null {
  const values = [...numbers].filter(([series]) => {
    const [bare] = series.split('{');
    return bare === name || bare === `${name}_count`;
  });
  return values.length === 0 ? null : values.reduce((sum, [, value]) => sum + value, 0);
}
