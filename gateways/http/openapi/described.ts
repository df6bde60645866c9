/** The descriptions of routes, collected by the functions that make the routes: no list is written twice. */
import type { Door } from '../../server/door.ts';
import type { MakeRoute } from '../route/route.ts';
import type { AnySpec } from '../route/spec.ts';
import { operationOf, type Operation } from './operation.ts';

/** `make` is given a maker that mounts nothing and notes what each route declares. */
export function describedBy(make: (route: MakeRoute) => unknown): readonly Operation[] {
  const operations: Operation[] = [];
  make((spec) => {
    // its types were checked where it was written
    operations.push(operationOf(spec as unknown as AnySpec));
    return neverMounted;
  });
  return operations;
}

const neverMounted: Door = {
  method: 'GET',
  path: '/',
  handle: () => Promise.reject(new Error('never mounted')),
};
