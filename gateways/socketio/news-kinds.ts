/** What the dashboard's own sockets are told of without its data: the names that the server and the pages share. */
export const newsKinds = [
  'customer',
  'delivery',
  'endpoint',
  'link',
  'merchant',
  'plan',
  'project',
  'provider',
  'statement',
  'subscription',
] as const;

export type NewsKind = (typeof newsKinds)[number];

/** As sent. A page that shows a kind reads it again. */
export interface News {
  /** Real time. */
  readonly at: string;
  /** On the project's clock. */
  readonly now: string;
  /** Those of which something has changed; none at the start. */
  readonly kinds: readonly NewsKind[];
}
