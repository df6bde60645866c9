/** When a lost socket is tried again. Pure: chance is an argument.
 *  R1. After a node went away its sockets come back spread over `spreadMs`, not all at once.
 *  R2. While nothing answers, the spread doubles to `spreadMsMax`. */

export const spreadMs = 3_000;
export const spreadMsMax = 24_000;

/** `failures`: tries since the last connection; `chance`: from 0 up to, not including, 1. */
export const reconnectDelayMs = (failures: number, chance: number): number =>
  Math.floor(chance * Math.min(spreadMs * 2 ** failures, spreadMsMax));

/** What the service answers a socket it will never take: trying again helps nobody. A suspended account is not such a
 *  one: lifting it lets the socket in at once. */
export const isFinal = (code: string): boolean => finalCodes.has(code);

const finalCodes: ReadonlySet<string> = new Set(['resource_not_found']);

/** Said when the login of this socket is over: the doors know whether it is. */
export const isAboutLogin = (code: string): boolean => loginCodes.has(code);

const loginCodes: ReadonlySet<string> = new Set(['ticket_invalid', 'login_required']);
