/** The commands of other programs that were refused unseen, as rows of `dead` for the operator: who sent what, and why
 *  it was refused. What a command held is not kept.
 *  1. Bounded: each user of a project and mode has so many places, and a later refusal takes the place of an older one.
 *     The same message, sent again, has the same place. */
import type { ReceivedCommand } from '../../src/bus/commands.ts';
import type { CommandSubject } from '../../src/bus/subjects.ts';
import { Complaints } from '../../src/kernel/complaints.ts';
import { sha256Base32, sha256Hex } from '../../src/kernel/hash.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import { deadLetterRow } from '../../src/runtime/model/dead-letter.ts';
import type { Row } from '../../src/store/store.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Refused } from '../http/route/answer.ts';

/** Of one user in one project and mode. */
export const refusedKeptMax = 64;

export interface RefusedParts {
  /** Writes until acknowledged. */
  readonly committer: { putRows(rows: readonly Row[]): Promise<void> };
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly log: Log;
}

export class RefusedCommands {
  private readonly parts: RefusedParts;
  private readonly complaints: Complaints;

  constructor(parts: RefusedParts) {
    this.parts = parts;
    this.complaints = new Complaints(parts.log);
  }

  /** `of`: null where the subject is not one of a command. */
  async keep({ subject, id }: ReceivedCommand, of: CommandSubject | null, { code }: Refused): Promise<void> {
    const { committer, scheduler } = this.parts;
    this.complaints.warn('a command from COMMANDS was refused', { subject, code });
    const isOurs = of !== null && couldBeId('prj', of.projectId);
    const scope = isOurs ? (`${of.projectId}:${of.mode}` as Scope) : 'system';
    const place = Number.parseInt(sha256Hex(`${subject} ${id}`).slice(0, 8), 16) % refusedKeptMax;
    const sender = of === null ? null : `nats:${of.user}`;
    const owner = { kind: of?.kind ?? 'command', id: of?.id ?? 'unknown' };
    const now = scheduler.now();
    const row = deadLetterRow(
      {
        owner,
        scope,
        id: sha256Base32(['refused command', scope, sender ?? '', String(place)], 24),
        body: { reason: code, sender },
      },
      now,
    );
    // the newest one wins
    await committer.putRows([{ ...row, v: now }]);
  }
}
