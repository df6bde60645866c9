/** The list of payment links, with their uses as they happen. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import type { RowProps } from '../../parts/list-section.tsx';
import { UserText, Tag } from '../../parts/marks.tsx';
import { newPaymentLinkRoute, paymentLinkRoute, paymentLinksEntry, paymentLinksRoute } from '../../places.ts';
import type { PaymentLink } from '../../wire/types.ts';
import { linkAmountText, usesText } from '../../words/links.ts';
import { choicesOf, linkStates, wordsOf } from '../../words/words.ts';

export const paymentLinks = listScreen({
  route: paymentLinksRoute,
  title: 'Payment links',
  navigation: paymentLinksEntry,
  follows: ['link'],
  from: 'GET /v1/payment-links',
  what: ['link', 'links'],
  label: 'List of payment links',
  action: ['New link', newPaymentLinkRoute.at({})],
  lead: 'Addresses that buyers pay by, without a shop: in a chat, on a poster, as a QR code.',
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [['', 'All'], ...choicesOf(linkStates)],
    },
  },
  rows: { columns: 'links', row: LinkRow },
  empty: {
    sign: 'link',
    title: 'No payment link yet',
    text: (
      <>
        Create one with an amount, or let the buyer enter it. Send its address in a chat, or print its QR
        code: each buyer gets a page to pay on.
      </>
    ),
    next: ['Create the first one', newPaymentLinkRoute.at({})],
  },
  noMatch: { title: 'No link is like that' },
});

function LinkRow({ row: link }: RowProps<PaymentLink>) {
  const { to } = useScreenContext();
  return (
    <li class="row">
      <Tag words={wordsOf(linkStates, link.status)} />
      <div class="words">
        <a class="whole" href={to(paymentLinkRoute.at({ id: link.id }))}>
          <UserText text={link.name} />
        </a>
        <span class="soft">{link.referenceId}</span>
      </div>
      <span class="sum">{linkAmountText(link)}</span>
      <span class="uses soft">{usesText(link)}</span>
      <span class="above">
        <CopyButton text={link.url} what={`address of ${link.name}`} />
      </span>
    </li>
  );
}
