/** Metrics of streams and sockets: how many are open, and how many were rejected by which limit.
 *  1. Labels are only types and limits: no address, session or project ever becomes a series. */

/** `socket`: a connection that is not authenticated yet. */
export type LiveSort = 'socket' | 'merchant_socket' | 'hosted_socket' | 'qr_stream' | 'event_stream';
/** `per_session` ends the oldest stream; every other limit rejects the new one. */
export type LiveLimit = 'per_address' | 'per_node' | 'per_project' | 'per_session';

/** Called each time a limit is reached. */
export type OnLimit = (limit: LiveLimit) => void;

/** What is currently open on this node. */
export type LiveOpen = { readonly [sort in LiveSort]: number };

export interface LiveMeters {
  limit(of: LiveSort, limit: LiveLimit): void;
  /** Registers the source of the open counts. */
  watch(open: () => LiveOpen): void;
}
