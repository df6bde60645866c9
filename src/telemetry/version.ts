/** The version of this program, as reported to operators and peers; a test compares it with package.json. */
export const version = '0.2.0';
