/** The descriptions of routes, collected by the functions that make the routes: no list is written twice. */
import type { Door } from '../../server/door.ts';
import type { AnySpec, MakeRoute } from '../route/route.ts';
import { operationOf, type Operation } from './operation.ts';

export interface Described {
  readonly operations: readonly Operation[];
  /** `GET /v1/...` of the routes that are not described yet. */
  readonly undescribed: readonly string[];
}

/** `make` is given a maker that mounts nothing and notes what each route declares. */
export function describedBy(make: (route: MakeRoute) => unknown): Described {
  const specs: AnySpec[] = [];
  make((spec) => {
    // its types were checked where it was written
    specs.push(spec as unknown as AnySpec);
    return neverMounted;
  });
  const all = specs.map((spec) => ({ name: `${spec.method} ${spec.path}`, operation: operationOf(spec) }));
  return {
    operations: all.flatMap(({ operation }) => operation ?? []),
    undescribed: all.flatMap(({ name, operation }) => (operation === null ? [name] : [])),
  };
}

const neverMounted: Door = {
  method: 'GET',
  path: '/',
  handle: () => Promise.reject(new Error('never mounted')),
};
