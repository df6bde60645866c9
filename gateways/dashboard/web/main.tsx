/** The merchant's dashboard: renders the app into the page. */
import { render } from 'preact';
import 'virtual:house.css';
import './css/frame.css';
import './css/bar.css';
import './css/sections.css';
import './css/filters.css';
import './css/rows.css';
import './css/logged.css';
import './css/book.css';
import './css/parts.css';
import './css/detail.css';
import './css/forms.css';
import './css/refunds.css';
import './css/reviews.css';
import './css/reconciliation.css';
import './css/links.css';
import './css/billing.css';
import './css/next-steps.css';
import './css/webhooks.css';
import './css/settings.css';
import './css/incidents.css';
import './css/operator.css';
// after the stylesheets of all screens: a screen's own come last
import { App } from './app.tsx';

const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
