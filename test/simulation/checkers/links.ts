/** Laws of payment links: what a link counts is what its sessions are. */
import type { LinkState } from '../../../actors/payment-link/messages.ts';
import { heldCount } from '../../../actors/payment-link/holds.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import type { Disk } from '../../support/simulated/store-sim-disk.ts';
import type { MakeChecker } from './checker.ts';
import { sessionIn } from './money.ts';

const sessionsOf = (disk: Disk, linkId: string): readonly SessionState[] =>
  disk.docs('checkout_session').flatMap((doc) => {
    const session = sessionIn(doc);
    return session?.order.link?.id === linkId ? [session] : [];
  });

const isRunning = (session: SessionState): boolean => !('endedAt' in session);
const isPaidInTime = (session: SessionState): boolean => session.status === 'success' && !session.late;

export const linksKeepTheirLimit: MakeChecker = ({ disk }) => ({
  rule: 'without late money a link never has more sessions, running or paid, than uses',
  landed(landed) {
    const link = landed.is === 'doc' ? sessionIn(landed.doc)?.order.link : undefined;
    if (link === undefined) return null;
    const { maxUses } = (disk.doc('payment_link', link.id)?.body ?? {}) as {
      readonly maxUses?: number | null;
    };
    if (maxUses === undefined || maxUses === null) return null;
    const taken = sessionsOf(disk, link.id).filter((each) => isRunning(each) || isPaidInTime(each)).length;
    return taken > maxUses ? `${link.id} has ${taken} sessions and ${maxUses} uses` : null;
  },
});

export const linksCountTheirSessions: MakeChecker = ({ disk }) => ({
  rule: 'a link has counted each session that succeeded, once, and reserves one use for each that runs',
  ended() {
    for (const { id, body } of disk.docs('payment_link')) {
      if (body === null) continue;
      const link = body as unknown as LinkState;
      const sessions = sessionsOf(disk, id);
      const paid = sessions.filter(({ status }) => status === 'success').length;
      if (paid !== link.usedCount) return `${id} counts ${link.usedCount}, ${paid} sessions succeeded`;
      const running = sessions.filter(isRunning).length;
      if (running !== heldCount(link)) return `${id} reserves ${heldCount(link)}, ${running} sessions run`;
    }
    return null;
  },
});
