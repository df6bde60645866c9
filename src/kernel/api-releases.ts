/** The versions of the API that were released, the oldest first. */
import type { Release } from './api-versions.ts';

const first: Release = { version: '2026-11-20' };

export const releases: readonly Release[] = [first];

/** The newest: what the service speaks inside, and what new keys are pinned to. */
export const apiVersion = releases.at(-1)?.version ?? first.version;
