/** The simulated qr_a in one value: its API, its sockets, and the banking app that its buyers scan with. */
import { html } from '../../pages/html.ts';
import type { SimulatedProvider } from '../simulated-provider.ts';
import { playPhone, qrAPageDoors } from './page.ts';
import { qrADoors, qrARoot } from './qr-a.ts';
import { mountQrASockets } from './socket.ts';

export const simulatedQrA: SimulatedProvider = {
  doors: (deps) => [...qrADoors(deps), ...qrAPageDoors(deps)],
  mountSockets: mountQrASockets,
  buyersPayBy: {
    is: 'phone',
    play: playPhone,
    home: html`<section>
<h2>Simulated bank app</h2>
<dl class="bill">
<div><dt>Provider</dt><dd><code>qr_a</code></dd></div>
<div><dt>Log-in</dt><dd>none</dd></div>
</dl>
<p>The buyer scans a code with a phone. Here the phone is a page: give it the code's text.</p>
<div class="buttons"><a href="${qrARoot}/">Open the bank app</a></div>
</section>`,
  },
};
