/** Meters for nodes that are not measured. */
import type { RuntimeMeters } from '../../src/runtime/model/meters.ts';

const nothing = (): void => undefined;

export const noMeters: RuntimeMeters = {
  turn: nothing,
  commit: nothing,
  ask: nothing,
  read: nothing,
  timer: nothing,
  parked: nothing,
  purged: nothing,
  watch: nothing,
};
