/** The style of the simulator's pages: plain, and unlike any page where money is real. */
import { sha256Hex } from '../../src/kernel/hash.ts';
import type { Door } from '../server/door.ts';

const sheet = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f3efe6, #1c1b18); color: light-dark(#26231c, #ece7dc); }
main { max-width: 30rem; margin: 0 auto; padding: 1rem; min-height: 100vh; }
header { margin: -1rem -1rem 1.5rem; padding: 1rem; border-bottom: 4px dashed #b4770c;
  background: light-dark(#fdf3d8, #3a2f14); }
header p { margin: 0; }
h1 { margin: 0; font-size: 1.25rem; }
.warning { font-weight: 600; color: light-dark(#8a4b00, #ffc966); }
.bill { margin: 0 0 1.5rem; }
.bill div { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem 0; }
.bill dt { opacity: .75; }
.bill dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
.amount { font-weight: 700; font-size: 1.25rem; }
h2 { margin: 1rem 0 .75rem; font-size: 1.15rem; }
h3 { margin: 1.5rem 0 .5rem; font-size: .95rem; opacity: .8; }
.problem { padding: .75rem 1rem; border-radius: .5rem; background: light-dark(#fbe1dc, #4a1f18); }
.notice { padding: .75rem 1rem; border-radius: .5rem; background: light-dark(#e3eedd, #24351f); }
.hint { font-size: .875rem; opacity: .8; }
label { display: block; margin: .75rem 0; }
input, select { display: block; width: 100%; margin-top: .25rem; padding: .7rem; font: inherit; 
  border-radius: .5rem; border: 1px solid light-dark(#8d8779, #7c776b); background: light-dark(#fff, #2a2824);
  color: inherit; }
.buttons { display: grid; gap: .6rem; }
.many { grid-template-columns: 1fr 1fr; }
.many button { height: 100%; padding: .5rem; font-size: .9rem; }
button { width: 100%; min-height: 3rem; padding: .7rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  border-radius: .5rem; border: 1px solid light-dark(#8d8779, #7c776b); background: light-dark(#fff, #2a2824);
  color: inherit; }
button.primary { border-color: transparent; background: light-dark(#7a4a00, #e0a340);
  color: light-dark(#fff, #1c1b18); }
a { color: light-dark(#7a4a00, #ffc966); }
section .buttons { margin-top: 1rem; }
section { margin-top: 1.75rem; padding-top: .25rem; border-top: 1px solid light-dark(#d9d2c2, #3d3a33); }
.bill code, .line { font: 500 .875rem/1.6 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.line { margin: .75rem 0; padding: .75rem 1rem; border-radius: .5rem; overflow-wrap: anywhere; white-space: pre-wrap;
  background: light-dark(#efe9da, #2f2c26); }
.bill code, .line code { font: inherit; }
.buttons a { display: grid; place-items: center; min-height: 3rem; padding: .7rem 1rem; font-weight: 600;
  border-radius: .5rem; border: 1px solid light-dark(#8d8779, #7c776b); background: light-dark(#fff, #2a2824);
  color: inherit; text-decoration: none; text-align: center; }
.buttons a.primary { border-color: transparent; background: light-dark(#7a4a00, #e0a340);
  color: light-dark(#fff, #1c1b18); }
@media (min-width: 40rem) {
  main { min-height: 0; margin: 3rem auto; padding: 1.5rem 2rem 2rem; border-radius: 1rem;
    background: light-dark(#fffdf8, #24221e); box-shadow: 0 .75rem 2.5rem light-dark(#0000001a, #00000066); }
  header { margin: -1.5rem -2rem 1.5rem; padding: 1.25rem 2rem; border-radius: 1rem 1rem 0 0; }
}
:focus-visible { outline: 3px solid #2f6fde; outline-offset: 2px; }
`;

export const stylePath: string = `/sim/ui/style-${sha256Hex(sheet).slice(0, 12)}.css`;

export const styleDoor = (): Door => ({
  method: 'GET',
  path: stylePath,
  handle: () =>
    Promise.resolve({
      status: 200,
      headers: {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': 'public, max-age=31536000, immutable',
        'X-Content-Type-Options': 'nosniff',
      },
      body: sheet,
    }),
});
