/** The commands that other programs may send: derived from the routes that say `at: { command }`. Name, kind and
 *  target are in `at`, the fields are those of the route's body. */
import type { TSchema } from 'typebox';
import type { Door, DoorRequest } from '../server/door.ts';
import type { MakeDoor } from '../http/route/route.ts';
import { refused, type Refused } from '../http/route/answer.ts';
import type { AnyRules, Call, Route } from '../http/route/spec.ts';
import type { KeyRule } from '../http/access/gate.ts';

export interface Offered {
  /** `subscription.pause`: the kind that the subject names, and the command's name. */
  readonly name: string;
  /** The field that is the id of the subject; null: the path's `{id}` is. */
  readonly idField: string | null;
  /** The path of the route in the API. */
  readonly api: string;
  readonly operation: string;
  readonly summary: string;
  readonly body: TSchema | null;
  readonly rules: AnyRules;
}

/** In the order of the routes. */
export const offeredOf = (routes: readonly Route[]): readonly Offered[] =>
  routes.flatMap(({ at, ...route }) => {
    const { command, api = '' } = at;
    if (command === undefined) return [];
    const [kind = ''] = command.split('.');
    return [
      {
        name: command,
        idField: api.includes('{id}') ? null : `${kind}Id`,
        api,
        // a route with a path of the API is described: `route` does not compile otherwise
        operation: String(route['operation' as keyof typeof route]),
        summary: route.summary ?? '',
        body: route.body ?? null,
        rules: { ...route, path: api } as AnyRules,
      },
    ];
  });

/** The name of the path, and of the id minted for it, that carries what was decided about a command. */
export const verdictName = 'verdict';
/** The command is to be executed. */
export const mayRun = '';

/** The door of a command. What is decided about it before it is executed is one of the ids that its record keeps. So
 *  whoever takes the record over does not decide anew: a command that may have been executed is not refused later. */
export function doorOf(make: MakeDoor, { rules }: Offered): Door {
  const handle = (call: Call<KeyRule, unknown, unknown>) => {
    const verdict = call.ids[verdictName] ?? mayRun;
    return verdict === mayRun ? rules.handle(call) : refusalFrom(verdict);
  };
  const mints = {
    ...rules.mints,
    [verdictName]: (params: DoorRequest['params']) => params[verdictName] ?? mayRun,
  };
  return make({ ...rules, handle, mints } as AnyRules);
}

/** A refusal as the text of a verdict. */
export const verdictOf = ({ code, details }: Refused): string => JSON.stringify([code, details]);

const refusalFrom = (text: string): Refused => {
  // a text of ours
  const [code, details] = JSON.parse(text) as [Refused['code'], Refused['details']];
  return refused(code, details);
};
