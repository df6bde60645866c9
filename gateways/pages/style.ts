/** The one stylesheet of the public pages, as text: served from its own address, since no page may have
 *  inline styles. Boundary: appearance only; hosted/ decides which classes a page uses. Every text keeps
 *  WCAG AA contrast in both colour schemes, every target is at least 48 px high, and nothing moves for
 *  users who prefer reduced motion.
 *  The design is a counter slip: what you pay above the fold line, how you pay below it. */
import { glyphCss } from './glyphs.ts';

const tokens = `
:root{color-scheme:light dark;
--ground:#edeae3;--paper:#fffdf9;--well:#f6f3ec;--ink:#17231e;--soft:#55615a;--line:#dbd5c9;--edge:#8a8f86;
--accent:#0b5b48;--accent-strong:#084737;--on-accent:#fff;--tint:#e8f1ec;
--good:#0b5b48;--good-tint:#e3f1ea;--bad:#98202f;--bad-tint:#fbe9e8;--warn:#744600;--warn-tint:#fdf0d3;
--focus:#1a4fd0;--lift:0 1px 2px rgb(40 34 20/.06),0 24px 48px -28px rgb(40 34 20/.38);
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Devanagari","Kohinoor Devanagari",
"Nirmala UI",Mangal,sans-serif;--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{
--ground:#0e1412;--paper:#18211d;--well:#131b18;--ink:#eef3ee;--soft:#a9b5ae;--line:#2f3b35;--edge:#75827b;
--accent:#7ad9ba;--accent-strong:#9be6cc;--on-accent:#05251b;--tint:#1d2d27;
--good:#7ad9ba;--good-tint:#17332a;--bad:#ffaba6;--bad-tint:#3a1d1e;--warn:#f3c877;--warn-tint:#362a12;
--focus:#9bb8ff;--lift:0 1px 0 rgb(255 255 255/.03) inset,0 24px 48px -28px rgb(0 0 0/.8)}}
`;

const ground = `
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;overflow-y:scroll;background:var(--ground)}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;background:var(--ground);
color:var(--ink);font:400 1rem/1.5 var(--sans);overflow-wrap:anywhere;-webkit-font-smoothing:antialiased}
:lang(ne){line-height:1.65}
:is(h1,h2):lang(ne){letter-spacing:0}
h1,h2,p,dl,dd,ul{margin:0;padding:0}
h1,h2{text-wrap:balance;overflow-wrap:break-word}
p{text-wrap:pretty}
img{display:block}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px}
h1:focus-visible{outline:none}
.unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
.soft{color:var(--soft)}
.stack>*+*{margin-top:.75rem}
`;

const slip = `
.strip{background:repeating-linear-gradient(-45deg,var(--warn-tint) 0 14px,transparent 14px 28px),var(--paper);
color:var(--warn);border-bottom:1px solid var(--line);text-align:center;font-size:.875rem;line-height:1.3;
padding:.6rem max(1rem,env(safe-area-inset-left))}
.strip b{font-weight:650}
.desk{flex:1;width:100%;max-width:29rem;margin:0 auto;padding:1rem 1rem 0;display:flex;flex-direction:column}
.languages{display:flex;justify-content:flex-end;gap:.25rem;margin:-.5rem .25rem .25rem;
font-size:.875rem;line-height:1.3}
.languages>*{display:grid;place-items:center;min-height:2.75rem;padding:0 .625rem;border-radius:.625rem}
.languages span{color:var(--soft)}
.languages a{font-weight:600}
.slip{background:var(--paper);border-radius:1.25rem;box-shadow:var(--lift);overflow:hidden}
.order{padding:1.375rem 1.5rem 1.5rem;container-type:inline-size}
.order p{margin-bottom:0}
.shop{display:flex;align-items:flex-start;gap:.75rem}
.shop p{min-height:2.75rem;display:grid;align-content:center}
.logo{flex:none;width:2.75rem;height:2.75rem;border-radius:.75rem;background:var(--well);object-fit:contain;
border:1px solid var(--line)}
.monogram{flex:none;width:2.75rem;height:2.75rem;border-radius:.75rem;background:var(--accent);
color:var(--on-accent);
display:grid;place-items:center;font-weight:650;font-size:1.25rem;line-height:1}
.shop small{display:block;color:var(--soft);font-size:.8125rem;line-height:1.35}
.shop strong{display:block;font-weight:650;font-size:1.0625rem;line-height:1.35}
.amount{margin-top:1.125rem;font-size:2.75rem;line-height:1.05;font-weight:680;letter-spacing:-.03em;
font-variant-numeric:lining-nums tabular-nums;white-space:nowrap}
.amount.long{font-size:min(2.75rem,11.8cqi)}
.amount .unit{font-size:.9375rem;font-weight:650;letter-spacing:.06em;color:var(--soft);vertical-align:.1em;
margin-right:.45rem}
.amount .paisa{font-size:.6em;font-weight:600;letter-spacing:-.01em;color:var(--soft)}
.what{margin-top:.5rem;color:var(--soft)}
.until{margin-top:1.125rem;display:flex;gap:.625rem;align-items:flex-start;font-size:.875rem;line-height:1.45;
color:var(--soft)}
.until .glyph{width:1.25rem;height:1.25rem}
.until .words{display:block}
.until b{color:var(--ink);font-weight:600;font-variant-numeric:tabular-nums}
.fold{position:relative;height:0;border-top:2px dashed var(--line);margin:0 1.125rem}
.fold::before,.fold::after{content:"";position:absolute;top:-.625rem;width:1.125rem;height:1.125rem;
border-radius:50%;background:var(--ground)}
.fold::before{left:-1.75rem}.fold::after{right:-1.75rem}
.act{padding:1.5rem}
.act h1{font-size:1.375rem;line-height:1.25;font-weight:680;letter-spacing:-.015em}
.act h1:lang(ne){line-height:1.45;letter-spacing:0}
.act h2{font-size:.9375rem;line-height:1.35;font-weight:650;margin-top:1.75rem}
.act h1+p,.act [role=status]+p{margin-top:.5rem}
.act p+p{margin-top:.5rem}
.act :is(.facts,form,ul)+p,.act p+.line{margin-top:.75rem}
.act .line+p{margin-top:1rem}
.foot{padding:1.25rem .5rem calc(1.5rem + env(safe-area-inset-bottom));font-size:.8125rem;line-height:1.5;
color:var(--soft);display:grid;gap:.375rem;justify-items:center;text-align:center}
.foot p{max-width:25rem;text-wrap:balance}
.foot .glyph{width:.9375rem;height:.9375rem;margin:0 .35rem -.125rem 0}
.foot a{display:grid;place-items:center;min-height:3rem;color:inherit}
.foot .by{font-weight:600;letter-spacing:.01em}
`;

const controls = `
form{margin:0}
.ways{list-style:none;margin-top:1.125rem;display:grid;gap:.625rem}
h2+.ways{margin-top:.75rem}
button,.button{font:inherit;color:inherit;cursor:pointer;-webkit-tap-highlight-color:transparent;
touch-action:manipulation}
.way{width:100%;min-height:4.25rem;display:flex;align-items:center;gap:.875rem;text-align:left;
padding:.75rem .875rem;
background:var(--paper);border:1.5px solid var(--edge);border-radius:.9375rem;
transition:background-color .12s,border-color .12s,box-shadow .12s}
.way img{flex:none;width:2.5rem;height:2.5rem;border-radius:.6875rem}
.way .words{flex:1;min-width:0}
.way .name{display:block;font-weight:650;font-size:1.0625rem;line-height:1.3}
.way .hint{display:block;color:var(--soft);font-size:.875rem;line-height:1.35}
.way .glyph{width:1.25rem;height:1.25rem;color:var(--soft);transition:transform .12s}
.way:hover{background:var(--tint);border-color:var(--accent)}
.way:hover .glyph{transform:translateX(2px);color:var(--accent)}
.way:active{background:var(--tint);box-shadow:inset 0 0 0 1px var(--accent)}
.way[disabled]{cursor:not-allowed;background:var(--well);border-style:dashed;border-color:var(--line);
color:var(--soft)}
.way[disabled] img{filter:grayscale(1);opacity:.55}
.way .caution{color:var(--warn)}
a.way{text-decoration:none;color:inherit}
.tile{flex:none;width:2.5rem;height:2.5rem;border-radius:.6875rem;display:grid;place-items:center;
background:var(--good-tint);color:var(--good)}
.way .tile .glyph,.way:hover .tile .glyph{color:var(--good);transform:none}
.button{width:100%;min-height:3.5rem;margin-top:1.25rem;padding:.75rem 1.25rem;display:flex;
align-items:center;
justify-content:center;gap:.625rem;border:0;border-radius:.9375rem;background:var(--accent);
color:var(--on-accent);
font-weight:650;font-size:1.0625rem;line-height:1.3;text-align:center;
text-wrap:balance;text-decoration:none;transition:background-color .12s}
.button:hover,.button:active{background:var(--accent-strong)}
.button.second{background:none;color:var(--ink);border:1.5px solid var(--edge)}
.button.second:hover,.button.second:active{background:var(--tint);border-color:var(--accent)}
.button .glyph{width:1.25rem;height:1.25rem}
.quiet{width:100%;min-height:3rem;margin-top:.75rem;padding:.5rem 1rem;background:none;border:0;
border-radius:.75rem;
color:var(--soft);font-size:.9375rem;line-height:1.35;text-decoration:underline;text-underline-offset:.2em;
text-decoration-thickness:1px;display:grid;place-items:center;text-align:center}
.quiet:hover{color:var(--ink);background:var(--well)}
.scan{margin-top:1rem}
.scan figure{margin:0}
.scan :is(svg,img){display:block;width:100%;height:auto;border-radius:.75rem}
.scan img{image-rendering:pixelated}
[hidden]{display:none!important}
.scan .words>*{margin-top:.75rem}
[aria-busy=true]{opacity:.65;cursor:progress}
details{margin-top:1.25rem;border-top:1px solid var(--line);padding-top:.25rem}
summary{min-height:3rem;display:flex;align-items:center;justify-content:space-between;gap:.75rem;
cursor:pointer;
font-weight:600;font-size:.9375rem;border-radius:.5rem;list-style:none}
summary::-webkit-details-marker{display:none}
summary .glyph{width:1.25rem;height:1.25rem;color:var(--soft);transition:transform .12s}
details[open] summary .glyph{transform:rotate(180deg)}
details .ways{margin-top:.5rem}
details .notice{margin:.5rem 0 .75rem}
details .scan{margin-top:.5rem}
.copied-text{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.75rem;margin-top:1.25rem;
padding:.625rem .625rem .625rem 1rem;background:var(--well);border-radius:.875rem}
.copied-text .code{display:block;font:500 .875rem/1.6 var(--mono);overflow-wrap:anywhere;
-webkit-user-select:all;user-select:all}
.copied-text p{margin:0;min-width:0}
.copy{flex:none;min-height:2.75rem;padding:.375rem 1rem;background:var(--paper);border:1.5px solid var(--edge);
border-radius:.75rem;font-weight:600;font-size:.9375rem;line-height:1.3}
.copy:hover,.copy:active{background:var(--tint);border-color:var(--accent)}
@media (scripting:none){:is(.copy,.print){display:none}}
.steps{margin:.625rem 0 0;padding-left:1.375rem;font-size:.9375rem}
.steps li+li{margin-top:.375rem}
.returning{margin-top:1rem;text-align:center;font-size:.9375rem;font-variant-numeric:tabular-nums}
.returning .quiet{margin-top:.25rem}
fieldset{border:0;margin:1.25rem 0 0;padding:0;min-width:0;display:grid;gap:.875rem;
grid-template-columns:1fr 1fr}
legend{padding:0;margin-bottom:.75rem;font-weight:650;font-size:.9375rem}
.field{display:grid;gap:.3125rem;font-size:.875rem;line-height:1.35;grid-column:1/-1;align-content:start}
.field.half{grid-column:auto}
.field input{font:inherit;font-size:1rem;color:var(--ink);width:100%;min-height:3rem;padding:.5rem .875rem;
background:var(--well);border:1.5px solid var(--edge);border-radius:.75rem}
.field input:user-invalid{border-color:var(--bad)}
`;

const states = `
.glyph{flex:none;display:inline-block;background:currentColor}
.sign{width:3.5rem;height:3.5rem;border-radius:50%;display:grid;place-items:center;margin-bottom:1.125rem;
background:var(--well);color:var(--soft)}
.sign .glyph{width:1.75rem;height:1.75rem}
.sign.good{background:var(--good-tint);color:var(--good)}
.sign.bad{background:var(--bad-tint);color:var(--bad)}
.sign.warn{background:var(--warn-tint);color:var(--warn)}
.sign.turning{position:relative;color:var(--accent);background:none}
.sign.turning::before{content:"";position:absolute;inset:0;border-radius:50%;border:4px solid var(--line);
border-top-color:var(--accent);animation:turn 1s linear infinite}
@keyframes turn{to{transform:rotate(1turn)}}
.notice{display:flex;gap:.75rem;align-items:flex-start;padding:.875rem 1rem;margin-bottom:1.25rem;
border-radius:.875rem;
background:var(--warn-tint);color:var(--warn);font-size:.9375rem;line-height:1.45}
.notice strong{display:block;font-weight:650}
.notice .glyph{width:1.25rem;height:1.25rem;margin-top:.06rem}
.notice.bad{background:var(--bad-tint);color:var(--bad)}
.facts{margin-top:1.25rem;border-top:1px solid var(--line);font-size:.9375rem}
.facts div{display:flex;justify-content:space-between;gap:1.5rem;padding:.6875rem 0;
border-bottom:1px solid var(--line)}
.facts dt{color:var(--soft);flex:none}
.facts dd{text-align:right;font-weight:550;font-variant-numeric:tabular-nums;min-width:0}
.next{margin-top:1.25rem}
.next+form .button{margin-top:.625rem}
.pair{display:grid;gap:1.25rem}
.act>h2:first-child{margin-top:0}
.small{font-size:.875rem;line-height:1.5}
.line{padding:.75rem .875rem;background:var(--well);border-radius:.75rem;font:500 .8125rem/1.6 var(--mono);
white-space:pre-wrap}
.line code{font:inherit}
.facts .code{display:block;font:500 .8125rem/1.7 var(--mono);overflow-wrap:anywhere}
`;

const prose = `
.desk.doc{max-width:60rem;padding-bottom:2rem}
.crumbs{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.9375rem}
.crumbs a{display:grid;place-items:center;min-height:3rem}
.prose h1{font-size:1.75rem}
.prose h2{font-size:1.25rem;margin-top:2.25rem}
.prose h3{font-size:1.0625rem;margin:1.5rem 0 0}
.prose :is(p,ul,ol,pre,.scroll){margin-top:.875rem}
.prose :is(ul,ol){padding-left:1.375rem}
.prose li+li{margin-top:.3125rem}
.prose code{font:500 .875em/1.5 var(--mono)}
.prose pre{margin-bottom:0;padding:.875rem 1rem;background:var(--well);border-radius:.75rem;overflow-x:auto}
.prose pre code{font-size:.8125rem;overflow-wrap:normal}
.scroll{overflow-x:auto}
.prose table{border-collapse:collapse;font-size:.9375rem;min-width:100%}
.prose :is(th,td){padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);text-align:left;
vertical-align:top;min-width:8rem;overflow-wrap:break-word}
.prose .contents{list-style:none;padding:0;margin-top:.25rem;columns:22rem auto}
.prose .contents li{margin:0;break-inside:avoid}
.contents a{display:flex;align-items:center;min-height:2.75rem}
`;

const wide = `
@media (min-width:56rem){
.desk{max-width:60rem;justify-content:center;padding-top:2rem}
.desk.lone{max-width:31rem}
.desk.doc{justify-content:start}
.slip:not(.lone){display:grid;grid-template-columns:minmax(0,5fr) 0 minmax(0,6fr);min-height:23rem}
.slip:not(.lone) .order{padding:2.5rem;background:var(--well);display:flex;flex-direction:column}
.slip:not(.lone) .act{padding:2.5rem 2.5rem 2rem}
.slip:not(.lone) .order .amount.long{font-size:min(3.25rem,11.8cqi)}
.slip:not(.lone) .order .amount{font-size:3.25rem;margin-top:2.25rem}
.slip:not(.lone) .order .until{margin-top:auto;padding-top:2rem}
.slip:not(.lone) .fold{height:auto;width:0;margin:1.375rem 0;border-top:0;border-left:2px dashed var(--line)}
.slip:not(.lone) .fold::before{left:-.625rem;top:-2rem}
.slip:not(.lone) .fold::after{left:-.625rem;right:auto;top:auto;bottom:-2rem}
.lone .act{padding:2.25rem}
.pair{grid-template-columns:minmax(0,5fr) minmax(0,6fr);gap:2rem;align-items:start}
.slip.next{flex:none}
.scan{display:flex;gap:1.5rem;align-items:flex-start}
.scan figure{flex:none;width:15rem}
.scan .words{font-size:.9375rem}
.scan .quiet{padding:.5rem 0}
.foot{padding-top:1.75rem}
}
@media (min-width:56rem) and (hover:hover){.scan .on-this-phone{display:none}}
@media (max-width:22rem){.order,.act{padding-left:1.125rem;padding-right:1.125rem}.amount{font-size:2.25rem}}
@media (prefers-reduced-motion:reduce){*,*::before,*::after{animation:none!important;
transition:none!important}}
@media (prefers-contrast:more){:root{--soft:var(--ink);--line:var(--edge)}}
@media (forced-colors:active){.glyph{background:CanvasText;
forced-color-adjust:none}.way,.button,.slip{border:1px solid}
.fold::before,.fold::after{display:none}}
`;

/** On paper: what was paid, dark on white whatever the screen's colours; nothing that can only be pressed. */
const paper = `
@media print{
@page{margin:16mm}
:root{color-scheme:light;--ground:#fff;--paper:#fff;--well:#fff;--ink:#000;--soft:#3d3d3d;--line:#b5b5b5;--edge:#777;
--accent:#000;--good:#000;--good-tint:#fff;--bad:#000;--bad-tint:#fff;--warn:#000;--warn-tint:#fff;--lift:none}
html{overflow:visible}
body{min-height:0}
:is(.languages,.button,.quiet,.copy,.returning,.fold,details,form){display:none!important}
.desk{max-width:none;padding:0}
.slip{border:1px solid var(--line);border-radius:0;overflow:visible}
.slip:not(.lone){display:block;min-height:0}
.slip,.facts div,.copied-text{break-inside:avoid}
.order{border-bottom:1px solid var(--line)}
.copied-text{padding:0}
.sign{border:1px solid var(--edge)}
.monogram{background:none;border:1px solid var(--edge);color:var(--ink)}
.glyph{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.foot p:not(.by){display:none}
}
`;

/** The whole stylesheet. */
export const stylesheet: string = [tokens, ground, slip, controls, states, prose, glyphCss, wide, paper]
  .join('')
  .trim();
