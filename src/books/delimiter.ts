/** What separates the columns of a file. Pure. */

const delimiters = [',', ';', '\t'] as const;

/** The one that separates most columns of the first line. Lines end with one line feed. */
export function delimiterIn(text: string): string {
  const line = text.replace(/^\uFEFF?\n*/, '').split('\n', 1)[0] ?? '';
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const [first] = delimiters
    .map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }))
    .toSorted((a, b) => b.count - a.count);
  return first?.delimiter ?? ',';
}
