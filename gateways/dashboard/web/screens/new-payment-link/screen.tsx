/** The form of a new payment link. */
import { useScreenContext } from '../../context.ts';
import { newPaymentLinkRoute, paymentLinkRoute, paymentLinksEntry } from '../../places.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { LinkForm } from '../../parts/link-form.tsx';
import { screen } from '../../screen.tsx';

export const newPaymentLink = screen({
  route: newPaymentLinkRoute,
  title: 'New payment link',
  navigation: paymentLinksEntry,
  follows: [],
  // the form needs nothing
  load: () => ({ key: 'new link', ask: () => Promise.resolve({ ok: true, value: null }) }),
  view: NewPaymentLink,
});

function NewPaymentLink() {
  const { to, go } = useScreenContext();
  return (
    <main class="page narrow" id="main">
      <BackLink to={to(paymentLinksEntry.link)}>Payment links</BackLink>
      <h1 tabIndex={-1}>New payment link</h1>
      <section class="slip lone act" aria-label="New payment link">
        <LinkForm onDone={({ id }) => go(to(paymentLinkRoute.at({ id })))} />
      </section>
    </main>
  );
}
