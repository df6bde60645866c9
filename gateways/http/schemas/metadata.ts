/** Metadata as answered. */
import { Type } from 'typebox';

export const metadataShown = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Your own data about the purchase, as you sent it. {} when you sent none.',
});
