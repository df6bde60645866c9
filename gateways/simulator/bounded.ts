/** A door of a simulated provider that takes JSON: what our own doors would not parse, it does not either. Forms are
 *  not wrapped: they are not JSON. */
import { refusalReply } from '../http/access/gate.ts';
import { excessOf } from '../http/route/request.ts';
import type { Door } from '../server/door.ts';

export const bounded = (door: Door): Door => ({
  ...door,
  handle(request) {
    const excess = excessOf(request.body);
    return excess === null ? door.handle(request) : refusalReply(excess, request.requestId);
  },
});
