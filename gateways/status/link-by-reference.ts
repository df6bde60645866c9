/** The payment link that somebody means by its `PL-` reference, in any scope. */
import {
  linkReferenceAt,
  referenceIdIn,
  type LinkReferenceState,
} from '../../actors/link-reference/messages.ts';
import { paymentLinkAt, type LinkState } from '../../actors/payment-link/messages.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';

/** null: no such link. A reference may be claimed whose link was never created. */
export async function linkByReference(
  client: Pick<Client, 'read'>,
  typed: string,
): Promise<Snapshot<LinkState> | null> {
  const id = referenceIdIn(typed);
  if (id === null) return null;
  const claimed = await client.read<LinkReferenceState>(linkReferenceAt(id), null);
  return claimed === null
    ? null
    : client.read<LinkState>(paymentLinkAt(claimed.state.linkId), claimed.meta.scope);
}
