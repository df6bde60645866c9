/** A QR code as an image in an address of its own (decisions 16.4). */
import { toDataURL } from 'qrcode';

export const qrImagePixels = 320;
/** Blank modules around the code: less, and some cameras do not find it. */
const quietModules = 4;

/** `data:image/png;base64,...`, 320 x 320, error level M. Rejects for a text no code can hold. */
export const qrImage = (text: string): Promise<string> =>
  toDataURL(text, {
    type: 'image/png',
    errorCorrectionLevel: 'M',
    margin: quietModules,
    width: qrImagePixels,
  });
