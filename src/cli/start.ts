/** The entry of `npm start`. The service is loaded after it, because only of modules that are loaded from then on
 *  the source maps are read: a stack trace names the lines of the sources. */
process.setSourceMapsEnabled(true);
if (process.argv.length > 2) {
  process.stderr.write(
    `galla: ${process.argv[2]}: no arguments are accepted; settings are environment variables, for example PORT=9000\n`,
  );
  process.exit(2);
}
const { serve } = await import('./serve.ts');
await serve();
export {};
