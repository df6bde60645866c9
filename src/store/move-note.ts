/** What `galla move` writes into a data folder: how far the move has come, and in the end that the service is not here
 *  any more. The service that runs reads it.
 *  1. `moved` is never taken back: a service does not start on the folder again.
 *  2. A request to stop holds while its command lives, which has locked a file: of a move that was killed nothing is
 *     left that stops a service. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instant } from '../kernel/time.ts';
import { syncFolder } from './sqlite-commit-log.ts';
import { FolderMoved } from './sqlite-errors.ts';

export interface MoveNote {
  readonly format: 1;
  /** The same in the database that it moves to. */
  readonly id: string;
  /** The database that it moves to, without a password; for people. */
  readonly to: string;
  /** `stop`: the service is to stop, and leave the folder to the move. */
  readonly state: 'copying' | 'stop' | 'moved';
  /** Since when. */
  readonly at: Instant;
}

export const moveNoteName = 'move.json';
/** Locked by a command for as long as it lives. */
export const moveLockName = 'move.lock';

/** null: nobody has ever begun to move this folder. Throws for a file that is no such note. */
export function moveNoteIn(dataDir: string): MoveNote | null {
  const path = join(dataDir, moveNoteName);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const note: unknown = JSON.parse(text);
  if (!isNote(note)) throw new Error(`${path} is of a newer version of this service, or damaged`);
  return note;
}

function isNote(value: unknown): value is MoveNote {
  const { format, id, to, state } = Object(value) as { readonly [name: string]: unknown };
  return format === 1 && [id, to].every((text) => typeof text === 'string') && isState(state);
}

const isState = (state: unknown): boolean => ['copying', 'stop', 'moved'].some((one) => one === state);

/** It is on disk when this returns: after a loss of power a service would begin anew on a folder that has moved. */
export function writeMoveNote(dataDir: string, note: MoveNote): void {
  const path = join(dataDir, moveNoteName);
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(note)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  syncFolder(dataDir);
}

/** Throws FolderMoved. */
export function assertNotMoved(dataDir: string): void {
  const note = moveNoteIn(dataDir);
  if (note?.state === 'moved') throw new FolderMoved(dataDir, note.to);
}
