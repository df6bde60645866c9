/** Waiting for what follows from a commit a moment later. */
const everyMs = 20;
/** Far longer than anything takes, on a machine that does much else too. */
const waitMsUsual = 20_000;

/** Looks again until `look` gives something; throws what it waited for after `waitMs`. */
export async function eventually<Value>(
  look: () => Promise<Value | null>,
  what: () => string,
  waitMs = waitMsUsual,
): Promise<Value> {
  const until = Date.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > until) throw new Error(`waited ${waitMs} ms in vain for ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
