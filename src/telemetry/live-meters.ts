/** What streams and sockets tell of themselves: how many there are, and who was turned away by which limit.
 *  1. Names of sorts and limits alone: no address, no session, no project ever becomes a series. */

/** `socket`: a connection, before it is anybody's. */
export type LiveSort = 'socket' | 'merchant_socket' | 'hosted_socket' | 'qr_stream' | 'event_stream';
/** `per_session` ends the oldest stream, every other limit turns the new one away. */
export type LiveLimit = 'per_address' | 'per_node' | 'per_project' | 'per_session';

/** Told each time a limit is hit. */
export type OnLimit = (limit: LiveLimit) => void;

/** What is open on this node now. */
export type LiveOpen = { readonly [sort in LiveSort]: number };

export interface LiveMeters {
  limit(of: LiveSort, limit: LiveLimit): void;
  /** Where it can be read what is open. */
  watch(open: () => LiveOpen): void;
}
