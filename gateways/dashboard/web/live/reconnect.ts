/** When to retry a lost socket. Pure: randomness is an argument.
 *  R1. After a node has left, its sockets reconnect spread over `spreadMs`, not all at once.
 *  R2. While nothing answers, the spread doubles up to `spreadMsMax`. */

export const spreadMs = 3_000;
export const spreadMsMax = 24_000;

/** `failures`: attempts since the last connection; `chance`: from 0 up to, not including, 1. */
export const reconnectDelayMs = (failures: number, chance: number): number =>
  Math.floor(chance * Math.min(spreadMs * 2 ** failures, spreadMsMax));

/** The service's answers to a socket that it will never accept: retrying does not help. A suspended account
 *  is not among them: once lifted, the socket is accepted at once. */
export const isFinal = (code: string): boolean => finalCodes.has(code);

const finalCodes: ReadonlySet<string> = new Set(['resource_not_found']);

/** The merchant may go on reading: the page asks by HTTP, and its notice says why. */
export const isSuspension = (code: string): boolean => code === 'account_suspended';

/** Whether this refusal may mean that the socket's login is over: the API tells whether it is. */
export const isAboutLogin = (code: string): boolean => loginCodes.has(code);

const loginCodes: ReadonlySet<string> = new Set(['ticket_invalid', 'login_required']);
