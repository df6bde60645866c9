/** Circles of files: those that reach each other by their imports. */
import type { Source } from './house.ts';

/** Each circle once, its files in the order of their names (Tarjan's strongly connected components). */
export function circles(sources: readonly Source[]): readonly (readonly string[])[] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const [index, low] = [new Map<string, number>(), new Map<string, number>()];
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.size - 1);
    stack.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!index.has(target)) visit(target);
      else if (!stack.includes(target)) continue;
      low.set(path, Math.min(low.get(path) ?? 0, low.get(target) ?? 0));
    }
    if (low.get(path) !== index.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1 || (targets.get(path) ?? []).includes(path)) found.push(circle.toSorted());
  };
  for (const path of targets.keys()) if (!index.has(path)) visit(path);
  return found;
}
