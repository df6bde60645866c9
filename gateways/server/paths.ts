/** Paths of doors: converts `/v1/checkout/{id}` to uWS's pattern, and a matched path to its values. */
import type { HttpRequest } from 'uWebSockets.js';
import { assert } from '../../src/kernel/assert.ts';
import { takesBody, type Door } from './door.ts';

/** Default limit of a body. */
export const bodyBytesMaxUsual = 64 * 1024;

/** A door as the listener keeps it. */
export interface Mounted {
  readonly door: Door;
  /** `/v1/checkout/:id`. */
  readonly pattern: string;
  readonly segments: readonly string[];
  /** In the order of the path. */
  readonly paramNames: readonly string[];
  readonly takesBody: boolean;
  readonly bodyBytesMax: number;
  /** `GET /v1/checkout/{id}`, for logs. */
  readonly route: string;
}

export function mountedDoor(door: Door): Mounted {
  assert(
    /^(?:\/|(\/([a-zA-Z0-9._-]+|\{[a-zA-Z]+\}))+(?:\/\*?)?)$/.test(door.path),
    `a path of a door: ${door.path}`,
  );
  const segments = door.path.split('/').slice(1);
  return {
    door,
    segments,
    pattern: door.path.replace(/\{(\w+)\}/g, ':$1'),
    paramNames: segments.filter(isParam).map((segment) => segment.slice(1, -1)),
    takesBody: takesBody(door),
    bodyBytesMax: door.bodyBytesMax ?? bodyBytesMaxUsual,
    route: `${door.method} ${door.path}`,
  };
}

const isParam = (segment: string): boolean => segment.startsWith('{');
const noParams: { readonly [name: string]: string } = {};

/** The values of a matched path, percent-decoded. */
export function paramsOf({ paramNames }: Mounted, req: HttpRequest): { readonly [name: string]: string } {
  if (paramNames.length === 0) return noParams;
  const params: Record<string, string> = {};
  let index = 0;
  for (const name of paramNames) params[name] = decoded(req.getParameter(index++) ?? '');
  return params;
}

/** Percent-decoded; a value that cannot be decoded stays unchanged and matches no id. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The doors at this path, for any method. */
export function doorsAt(mounted: readonly Mounted[], path: string): readonly Door[] {
  const segments = path.split('/').slice(1);
  return mounted.filter((one) => matches(one, segments, path)).map(({ door }) => door);
}

/** Methods of these doors, sorted; HEAD is included with GET. */
export const methodsOf = (doors: readonly Door[]): readonly string[] =>
  [...new Set(doors.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();

const matches = ({ door, segments: of }: Mounted, segments: readonly string[], path: string): boolean => {
  const rest = of.at(-1) === '*';
  const named = rest ? of.slice(0, -1) : of;
  return (
    (rest ? segments.length > named.length : segments.length === named.length) &&
    named.every((segment, at) => (isParam(segment) ? segments[at] !== '' : segment === segments[at])) &&
    (door.has === undefined || door.has(path))
  );
};
