/** Drawings for tiles, on 40 by 40, in white lines. A provider may bring its own. */

export const walletDrawing =
  '<path d="M11 14.5v13a2.5 2.5 0 002.5 2.5h14a2 2 0 002-2V18a2 2 0 00-2-2H12.5a2 2 0 010-5H26"/>' +
  '<path d="M24.5 23h.01" stroke-width="3.4"/>';
export const qrDrawing =
  '<path d="M11 11h7v7h-7zM22 11h7v7h-7zM11 22h7v7h-7z"/>' +
  '<path d="M22.5 22.5v2.5M29 22v3M22.5 29h2.5M29 29v-.01"/>';
export const bankDrawing = '<path d="M10.5 17L20 11l9.5 6zM13.5 20.5v6M20 20.5v6M26.5 20.5v6M10.5 30h19"/>';
