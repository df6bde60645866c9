/** Of the words we know, the one that was probably meant. */

/** The known word that differs in the fewest letters; null when none differs in at most `lettersMax`. However long
 *  `word` is, it costs no more than the known words are long. */
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

/** How many letters must be added, dropped or changed to make `a` of `b`; some number above `max` when it is more. Only
 *  the cells within `max` of the diagonal are looked at. */
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
