/** The one script of the buyer's pages, as text: served from its own address. Everything works without it;
 *  with it the redirect flow and form hand-over go by themselves, the time left counts down, a second click
 *  cannot send a form twice, and a page that waits for a provider moves on as soon as there is news.
 *  Boundary: reads data attributes the pages wrote and `GET /pay/{id}/status`; decides nothing. */
export const script: string = `'use strict';
(() => {
  const pollMs = 2000, pollMsMax = 10000;

  // Back from the provider with the browser's back button: stand still, else the buyer is caught in a loop.
  const entry = performance.getEntriesByType('navigation')[0];
  const cameBack = entry !== undefined && entry.type === 'back_forward';
  const auto = document.querySelector('form[data-auto]');
  if (auto !== null && !cameBack) auto.requestSubmit();

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.dataset.sent === 'yes') return event.preventDefault();
    form.dataset.sent = 'yes';
    const button = form.querySelector('button');
    if (button !== null) button.setAttribute('aria-busy', 'true');
  });
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    for (const form of document.forms) {
      delete form.dataset.sent;
      const button = form.querySelector('button');
      if (button !== null) button.removeAttribute('aria-busy');
    }
  });

  const left = document.querySelector('[data-left-ms]');
  if (left !== null) {
    const end = performance.now() + Number(left.dataset.leftMs);
    const tick = () => {
      const ms = end - performance.now();
      if (ms <= 0) { setTimeout(() => location.reload(), 1500); return; }
      const minutes = Math.ceil(ms / 60000), hours = Math.floor(minutes / 60), rest = minutes % 60;
      const text = ms < 60000 ? 'less than a minute'
        : hours === 0 ? minutes + (minutes === 1 ? ' minute' : ' minutes')
        : hours + (hours === 1 ? ' hour' : ' hours') + (rest === 0 ? '' : ' ' + rest + ' min');
      if (left.textContent !== text) left.textContent = text;
      setTimeout(tick, Math.min(ms, 1000));
    };
    tick();
  }

  const live = document.querySelector('[data-status]');
  if (live !== null) {
    let wait = pollMs;
    const look = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const answer = await fetch(live.dataset.status, { headers: { accept: 'application/json' } });
          if (answer.ok) {
            const now = await answer.json();
            const seen = [now.status, now.provider ?? '', now.needsReview].join(' ');
            if (seen !== live.dataset.seen) return location.reload();
            wait = pollMs;
          } else wait = Math.min(wait * 2, pollMsMax);
        } catch { wait = Math.min(wait * 2, pollMsMax); }
      }
      setTimeout(look, wait);
    };
    setTimeout(look, wait);
  }
})();
`;
