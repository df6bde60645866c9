/** The one event that all arms of the streaming bench send, and the data of its Socket.IO form. */
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
