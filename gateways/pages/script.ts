/** The one script of the buyer's pages, as text: served from its own address. Everything works without it;
 *  with it the redirect flow and form hand-over are automatic, the time left counts down, a second click
 *  cannot submit a form twice, and a page that waits for a provider moves on as soon as there is news.
 *  Boundary: reads data attributes that the pages wrote; follows the session over Socket.IO or, while that
 *  is unavailable, by polling `GET /pay/{id}/status`; decides nothing. */
export const script: string = `'use strict';
(() => {
  const pollMs = 2000, pollMsMax = 10000, backMsMax = 30000, restartMsMax = 3000;
  // A form was sent, or the news are being opened: nothing else may take the page away meanwhile, least of all the news
  // of what the form has brought about.
  let leaving = false;

  // Back from the provider with the browser's back button: stand still, else the buyer is caught in a loop.
  const entry = performance.getEntriesByType('navigation')[0];
  const cameBack = entry !== undefined && entry.type === 'back_forward';
  const auto = document.querySelector('form[data-auto]');
  if (auto !== null && !cameBack) auto.requestSubmit();

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.dataset.sent === 'yes') return event.preventDefault();
    form.dataset.sent = 'yes';
    leaving = true;
    const button = form.querySelector('button');
    if (button !== null) button.setAttribute('aria-busy', 'true');
  });
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    leaving = false;
    for (const form of document.forms) {
      delete form.dataset.sent;
      const button = form.querySelector('button');
      if (button !== null) button.removeAttribute('aria-busy');
    }
  });

  const left = document.querySelector('[data-left-ms]');
  if (left !== null) {
    const end = performance.now() + Number(left.dataset.leftMs), words = JSON.parse(left.dataset.words);
    const number = (n) => String(n).replace(/\\d/g, (digit) => words.digits[digit]);
    const counted = (n, of) => (n === 1 ? of.one : of.other).replace('{n}', number(n));
    const tick = () => {
      const ms = end - performance.now();
      if (!left.isConnected) return;
      if (ms <= 0) { setTimeout(() => leaving || location.reload(), 1500); return; }
      const minutes = Math.ceil(ms / 60000), hours = Math.floor(minutes / 60), rest = minutes % 60;
      const text = ms < 60000 ? words.soon
        : hours === 0 ? counted(minutes, words.minutes)
        : counted(hours, words.hours) + (rest === 0 ? '' : ' ' + words.rest.replace('{n}', number(rest)));
      if (left.textContent !== text) left.textContent = text;
      setTimeout(tick, Math.min(ms, 1000));
    };
    tick();
  }

  const live = document.querySelector('[data-session]');
  if (live !== null) follow(live.dataset);

  // Until there is news: told over a socket while there is one, else asked for. Each way is whole without the other.
  function follow({ session, seen, to, againMs, socket: client }) {
    const page = '/pay/' + session;
    let socket = null, restarting = false, wait = pollMs;

    const moveOn = async (next) => {
      leaving = true;
      if (socket !== null) socket.close();
      // Back from the provider there is nothing left to read here: on to the shop.
      if (next !== null && to !== page) return location.replace(next);
      if (next === null || !(await showEnd(to))) location.replace(to);
    };
    const heard = (now) => {
      const isNews = [now.status, now.provider ?? '', now.needsReview].join(' ') !== seen;
      if (isNews && !leaving) void moveOn(now.next);
    };

    const ask = async () => {
      const answer = await fetch(page + '/status', { headers: { accept: 'application/json' } });
      if (!answer.ok) throw new Error(answer.statusText);
      heard(await answer.json());
    };
    const look = async () => {
      const isTold = socket !== null && socket.connected;
      if (!leaving && !isTold && document.visibilityState === 'visible')
        await ask().then(() => (wait = pollMs), () => (wait = Math.min(wait * 2, pollMsMax)));
      setTimeout(look, wait);
    };
    setTimeout(look, wait);
    if (againMs !== '') setTimeout(() => leaving || location.replace(to), Number(againMs));

    const connect = () => {
      if (leaving) return;
      socket = io('/hosted', { transports: ['websocket'], auth: { session }, reconnectionDelayMax: backMsMax });
      socket.on('state', heard);
      socket.on('bye', () => (restarting = true));
      socket.on('disconnect', () => {
        // all pages of a node that ends must not come to the next one at once
        if (restarting) setTimeout(() => leaving || socket.connect(), Math.random() * restartMsMax);
        restarting = false;
      });
      // refused by the service, not by the way there: it would be again
      socket.on('connect_error', (error) => error.data !== undefined && socket.close());
    };
    const script = document.createElement('script');
    script.src = client;
    script.onload = connect;
    document.head.append(script);
  }

  // The last page of a session has nothing to send: it takes this one's place without a reload.
  async function showEnd(address) {
    try {
      const answer = await fetch(address, { headers: { accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const [desk, end] = [document, page].map((each) => each.querySelector('.desk'));
      if (!answer.ok || end === null || end.querySelector('form, [data-session]') !== null) return false;
      const put = () => {
        document.title = page.title;
        desk.replaceWith(end);
        scrollTo(0, 0);
        // what a screen reader says next
        const heading = document.querySelector('h1');
        heading.tabIndex = -1;
        heading.focus();
      };
      const still = document.visibilityState === 'hidden' || matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (still || document.startViewTransition === undefined) put();
      else document.startViewTransition(put).ready.catch(() => {});
      return true;
    } catch { return false; }
  }
})();
`;
