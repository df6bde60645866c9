/** The version of this program, as it tells it to operators and peers; a test holds it to package.json. */
export const version = '0.2.0';
