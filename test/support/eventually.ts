/** Waiting for what follows from a commit a moment later. */
const everyMsMin = 20;
/** A long wait looks less often: each look costs a request, or a question to the browser. */
const everyMsMax = 100;
const looksPerWait = 10;
/** Far longer than anything takes, on a machine that does much else too. */
const waitMsUsual = 20_000;

/** Looks again until `look` gives something; throws what it waited for after `waitMs`. */
export async function eventually<Value>(
  look: () => Promise<Value | null>,
  what: () => string,
  waitMs = waitMsUsual,
): Promise<Value> {
  const from = Date.now();
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    const waitedMs = Date.now() - from;
    if (waitedMs > waitMs) throw new Error(`waited ${waitMs} ms in vain for ${what()}`);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(Math.max(waitedMs / looksPerWait, everyMsMin), everyMsMax)),
    );
  }
}
