/** Paths of this service, told from addresses of other hosts. Pure. */

/** Whether browsers certainly take this text for a path (and query) on the host it stands on, without parsing it:
 *  printable ASCII after a single slash. They drop tabs and line breaks, and treat a backslash as a slash. */
export const isPlainPath = (text: string): boolean => /^\/(?![/\\])[!-~]*$/.test(text);
