/** What stands in a cluster's database about the move of an embedded service into it (mongo-move.ts). */
import type { Collection, Db } from 'mongodb';
import { answerMsUsual } from './mongo-connect.ts';
import { reserved } from './mongo-schema.ts';

export interface MoveMark {
  readonly id: string;
  /** Nodes serve the database when it has moved. */
  readonly state: 'copying' | 'moved';
  /** The folder it comes from, and when; for people. */
  readonly from: string;
  readonly at: Date;
}

interface StoredMark extends Omit<MoveMark, 'id'> {
  readonly _id: 'move';
  readonly move: string;
}

export const moveMarkId = 'move';

export const moveMarks = (db: Db): Collection<StoredMark> =>
  db.collection(reserved.cluster, {
    readConcern: { level: 'linearizable' },
    writeConcern: { w: 'majority', j: true, wtimeoutMS: answerMsUsual },
  });

/** null: nothing was ever moved into this database. */
export async function moveMarkIn(db: Db): Promise<MoveMark | null> {
  const found = await moveMarks(db).findOne({ _id: moveMarkId }, { maxTimeMS: answerMsUsual });
  return found === null ? null : { id: found.move, state: found.state, from: found.from, at: found.at };
}
