/** Whether a client takes gzip, by its `Accept-Encoding`: the header of browsers, with or without weights.
 *  Any other spelling gets the uncompressed bytes, which every client takes. */
const gzipTaken = /(?:^|,)[ \t]*gzip[ \t]*(?:;[ \t]*q=(?:1(?:\.0*)?|0\.\d*[1-9]\d*)[ \t]*)?(?:,|$)/i;

export const takesGzip = (accepted: string): boolean => gzipTaken.test(accepted);
