/** Of the words we know, the one that was probably meant. */

/** The known word that differs in the fewest letters; null when none differs in at most `lettersMax`. */
export function nearest(word: string, known: Iterable<string>, lettersMax: number): string | null {
  let best: { readonly each: string; readonly letters: number } | null = null;
  for (const each of known) {
    const letters = editDistance(word, each);
    if (letters <= lettersMax && letters < (best?.letters ?? Infinity)) best = { each, letters };
  }
  return best?.each ?? null;
}

/** How many letters must be added, dropped or changed to make `a` of `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
