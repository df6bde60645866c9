/** The known word that was probably meant, for error messages. */

/** The known word with the smallest edit distance; null when none is within `lettersMax`. The cost depends
 *  on the length of the known words, however long `word` is. */
export function nearest(word: string, known: Iterable<string>, lettersMax: number): string | null {
  let best: string | null = null;
  let max = lettersMax;
  for (const each of known) {
    const letters = editDistance(word, each, max);
    if (letters > max) continue;
    best = each;
    max = letters - 1;
    if (max < 0) break;
  }
  return best;
}

/** The edit distance between `a` and `b`; some number above `max` when it is larger. Only the cells within
 *  `max` of the diagonal are computed. */
function editDistance(a: string, b: string, max: number): number {
  const above = max + 1;
  if (Math.abs(a.length - b.length) > max) return above;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  let next = row.map(() => above);
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - max), Math.min(b.length, i + max)];
    let least = from === 1 ? i : above;
    next[from - 1] = least;
    for (let j = from; j <= to; j++) {
      const changed = (row[j - 1] ?? above) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const dropped = j === i + max ? above : (row[j] ?? above);
      const cell = Math.min(changed, dropped + 1, (next[j - 1] ?? above) + 1);
      next[j] = cell;
      if (cell < least) least = cell;
    }
    if (least > max) return above;
    [row, next] = [next, row];
  }
  return row[b.length] ?? above;
}
