/** The one script of the buyer's pages, as text: served from its own address. Everything works without it;
 *  with it the redirect flow and form hand-over are automatic, the time left counts down, a second click
 *  cannot submit a form twice, a reference is copied by a button, a page that waits for a provider moves on as
 *  soon as there is news, a phone opens the wallet's app or goes on to its web page, and a buyer who has paid
 *  by code or in an app returns to the shop after a few seconds.
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
    document.querySelector('[data-return-to]')?.remove();
    for (const form of document.forms) {
      delete form.dataset.sent;
      const button = form.querySelector('button');
      if (button !== null) button.removeAttribute('aria-busy');
    }
  });

  // Ends the wait for the app: it has opened, or there is something else to do.
  let stopWaiting = () => {};
  const opener = document.querySelector('[data-app-opens]');
  if (opener !== null) openApp(opener);

  // Opens the app once: the address loses its mark, so that neither a reload nor the back button opens it again. Where
  // the page is still in front after the wait, there is no app: the wallet's web page follows.
  function openApp(opening) {
    history.replaceState(null, '', location.pathname);
    const link = document.querySelector('[data-app-link]');
    const { heading, how } = opening.dataset;
    const texts = [['h1', heading], ['p', how]]
      .map(([name, text]) => [opening.querySelector(name), text])
      .map(([each, text]) => [each, text, each.textContent]);
    const show = (isOpening) => {
      opening.querySelector('[data-app-turns]').hidden = !isOpening;
      for (const [each, first, then] of texts) each.textContent = isOpening ? first : then;
    };
    link.querySelector('span').textContent = link.dataset.again;
    if (cameBack || document.visibilityState === 'hidden') return;
    show(true);
    const timer = setTimeout(() => {
      if (!leaving && opening.isConnected) document.querySelector('form[data-web]').requestSubmit();
    }, Number(opening.dataset.waitMs));
    stopWaiting = () => {
      clearTimeout(timer);
      show(false);
    };
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && stopWaiting());
    addEventListener('pagehide', stopWaiting);
    location.assign(opening.dataset.appOpens);
  }

  // The texts come from the page, in its language.
  const number = (n, { digits }) => String(n).replace(/\\d/g, (digit) => digits[digit]);
  const counted = (n, of, words) => (n === 1 && of.one || of.other).replace('{n}', number(n, words));

  countDown();

  function countDown() {
    const left = document.querySelector('[data-left-ms]');
    if (left === null) return;
    const words = JSON.parse(left.dataset.words);
    const end = performance.now() + Number(left.dataset.leftMs), inSeconds = left.dataset.in === 'seconds';
    const textOf = (ms) => {
      if (inSeconds) {
        const whole = Math.max(0, Math.ceil(ms / 1000));
        return number(Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0'), words);
      }
      if (ms < 60000) return words.soon;
      const minutes = Math.ceil(ms / 60000), hours = Math.floor(minutes / 60), rest = minutes % 60;
      if (hours === 0) return counted(minutes, words.minutes, words);
      return counted(hours, words.hours, words) + (rest === 0 ? '' : ' ' + counted(rest, { other: words.rest }, words));
    };
    const tick = () => {
      const ms = end - performance.now(), text = textOf(ms);
      if (!left.isConnected) return;
      if (left.textContent !== text) left.textContent = text;
      if (ms <= 0) setTimeout(() => leaving || location.reload(), 1500);
      else setTimeout(tick, ms % 1000 + 5);
    };
    tick();
  }

  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (button === null) return;
    const from = button.parentElement.querySelector('[data-copied-from]');
    getSelection().selectAllChildren(from);
    // where the clipboard is out of reach the reference stays selected, for the buyer's own copy command
    const isCopied = await (navigator.clipboard?.writeText(from.textContent) ?? Promise.reject())
      .then(() => true, () => document.execCommand('copy'));
    if (!isCopied) return;
    button.textContent = button.dataset.copied;
    button.parentElement.querySelector('[role=status]').textContent = button.dataset.copied;
  });

  document.addEventListener('click', ({ target }) => target.closest('[data-print]') !== null && print());

  goBackSoon();

  // Paid by code: back to the shop after a few seconds, unless the buyer stays.
  function goBackSoon() {
    const block = document.querySelector('[data-return-to]');
    if (block === null) return;
    if (cameBack) return block.remove();
    const { returnTo, returnMs, stays } = block.dataset, words = JSON.parse(block.dataset.words);
    const [status, shown, count, link] =
      ['[role=status]', '[aria-hidden]', '[data-count]', '[data-stay]'].map((each) => block.querySelector(each));
    const end = performance.now() + Number(returnMs);
    let isStaying = false;
    const stay = () => {
      if (isStaying) return;
      isStaying = true;
      status.textContent = shown.textContent = stays;
      link.remove();
    };
    link.addEventListener('click', (event) => {
      event.preventDefault();
      stay();
      status.focus();
    });
    // who begins to walk through the page by keyboard wants to read it
    document.addEventListener('keydown', ({ key }) => (key === 'Tab' || key === 'Escape') && stay());
    // and so does who copies the reference or prints
    document.addEventListener('click', ({ target }) => target.closest('[data-copy],[data-print]') && stay());
    // a change is announced, what stood there from the start is not
    setTimeout(() => isStaying || (status.textContent += ' '), 300);
    const tick = () => {
      if (isStaying || !block.isConnected) return;
      const ms = end - performance.now();
      if (ms > 0) {
        count.textContent = counted(Math.ceil(ms / 1000), words, words);
        return setTimeout(tick, ms % 1000 + 5);
      }
      location.assign(returnTo);
    };
    tick();
  }

  const live = document.querySelector('[data-session]');
  if (live !== null) follow(live.dataset);

  // Until there is news: status over a socket while there is one, else asked for. Each way is whole without the other.
  function follow({ session, seen, to, againMs, onlyEnd, socket: client }) {
    const page = '/pay/' + session;
    let socket = null, restarting = false, wait = pollMs, latest = null, isMoving = false;

    const isEnd = ({ status }) => status !== 'pending' && status !== 'initiated';
    const leave = () => {
      leaving = true;
      if (socket !== null) socket.close();
    };
    const moveOn = async (now) => {
      isMoving = true;
      stopWaiting();
      // Back from the provider there is nothing left to read here: on to the shop.
      if (now.next !== null && to !== page) { leave(); return location.replace(now.next); }
      const main = isEnd(now) || now.scanned ? await showInPlace(to) : null;
      if (leaving) return;
      if (main === null || isEndPage(main)) leave();
      if (main === null) return location.replace(to);
      isMoving = false;
      seen = main.dataset.seen;
      // what has come meanwhile
      if (!leaving) heard(latest);
    };
    const heard = (now) => {
      latest = now;
      const state = [now.status, now.provider ?? '', now.needsReview].join(' ') + (now.scanned ? ' scanned' : '');
      const isNews = state !== seen && (onlyEnd === '' || isEnd(now));
      if (isNews && !leaving && !isMoving) void moveOn(now);
    };

    const ask = async () => {
      const answer = await fetch(page + '/status', { headers: { accept: 'application/json' } });
      if (!answer.ok) throw new Error(answer.statusText);
      heard(await answer.json());
    };
    const look = async () => {
      const isLive = socket !== null && socket.connected;
      if (!leaving && !isLive && document.visibilityState === 'visible')
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

  const isEndPage = (main) => main.dataset.session === undefined && main.querySelector('form') === null;

  // The last page of a session, and the one of a scanned code, take this one's place without a reload. null: not done.
  async function showInPlace(address) {
    try {
      const answer = await fetch(address, { headers: { accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const [desk, next] = [document, page].map((each) => each.querySelector('.desk'));
      const main = page.querySelector('main');
      if (!answer.ok || next === null || leaving) return null;
      if (!isEndPage(main) && !/ scanned$/.test(main.dataset.seen)) return null;
      const put = () => {
        document.title = page.title;
        desk.replaceWith(next);
        scrollTo(0, 0);
        // what a screen reader says next
        const heading = document.querySelector('h1');
        heading.tabIndex = -1;
        heading.focus();
        countDown();
        goBackSoon();
      };
      const still = document.visibilityState === 'hidden' || matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (still || document.startViewTransition === undefined) put();
      else document.startViewTransition(put).ready.catch(() => {});
      return main;
    } catch { return null; }
  }
})();
`;
