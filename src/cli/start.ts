/** The entry of `npm start`. The service is loaded after it, because only of modules that are loaded from then on
 *  the source maps are read: a stack trace names the lines of the sources. */
process.setSourceMapsEnabled(true);
await import('./serve.ts');
export {};
