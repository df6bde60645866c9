/** The timers of a project's clock that have not fired yet. */
import type { Instant } from '../kernel/time.ts';
import type { Store } from '../store/store.ts';

export async function timersOf(
  store: Pick<Store, 'due' | 'countTimers'>,
  projectId: string,
): Promise<{ readonly pending: number; readonly nextAt: Instant | null }> {
  const [next] = await store.due({ clock: projectId, until: Number.MAX_SAFE_INTEGER, limit: 1 });
  return { pending: await store.countTimers(projectId), nextAt: next?.wake ?? null };
}
