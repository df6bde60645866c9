/** What the arms of the streaming bench share: the one event they all send, and how their memory is made ready to be
 *  measured. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const scan = {
  sessionId: 'cs_xhb0f0273zxk2qcf7a6ekcts',
  scannedAt: '2026-11-20T09:15:41.000Z',
} as const;

export const frameOf = (n: number): string =>
  `id: ${n}\nevent: qr.scanned\ndata: ${JSON.stringify(scan)}\n\n`;

export const streamHeaders: { readonly [name: string]: string } = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  'Access-Control-Allow-Origin': '*',
};

export const connected = 'retry: 3000\nevent: connected\ndata: {"status":"initiated"}\n\n';
export const ping = 'event: ping\ndata: {}\n\n';
export const pingEveryMs = 7000;

/** More than the young generation ever holds at once. */
const arraysInUse = 600_000;

/** As a busy process has it, V8's young generation is at its full size from the start: its growth is no reader's. */
function growYoung(): number {
  return Array.from({ length: arraysInUse }, (_, at) => [at, at, at, at]).length;
}

export function collectOnSignal(): void {
  growYoung();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    collect();
  });
}
