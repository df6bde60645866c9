/** The list of payment links, with their uses as they happen. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { isUnfiltered, statusQuery } from '../../lists/status-filters.ts';
import { Chips } from '../../parts/chips.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Glyph, Said, Tag } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { NoMatch, PagedList } from '../../parts/paged-list.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { PaymentLink } from '../../wire/link-api.ts';
import type { Listed } from '../../wire/types.ts';
import { linkAmountText, usesText } from '../../words/links.ts';
import { linkStates, wordsOf } from '../../words/words.ts';
import { newPaymentLinkRoute } from '../new-payment-link/route.ts';
import { firstPage, paymentLinkRoute } from '../payment-link/route.ts';
import { paymentLinksEntry, paymentLinksRoute, type LinkFilters } from './route.ts';

export const paymentLinks = screen({
  route: paymentLinksRoute,
  title: 'Payment links',
  navigation: paymentLinksEntry,
  follows: ['link'],
  load: ({ api, place }, { filters }) => {
    const query = statusQuery(filters);
    return { key: `links ${query}`, ask: () => api.links(place, query) };
  },
  view: PaymentLinks,
});

interface ListProps {
  readonly filters: LinkFilters;
  readonly asked: Asked<Listed<PaymentLink>>;
}

const states: readonly (readonly [LinkFilters['status'], string])[] = [
  ['', 'All'],
  ['active', 'Active'],
  ['inactive', 'Switched off'],
  ['expired', 'Expired'],
  ['completed', 'Used up'],
];

function PaymentLinks({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: LinkFilters }, Listed<PaymentLink>>) {
  const { to } = useScreenContext();
  return (
    <main class="page" id="main">
      <div class="heading">
        <h1 tabIndex={-1}>Payment links</h1>
        <a class="button fit begin" href={to(newPaymentLinkRoute.at({}))}>
          <Glyph name="plus" />
          New link
        </a>
      </div>
      <p class="lead soft">
        Addresses that buyers pay by, without a shop: in a chat, on a poster, as a QR code.
      </p>
      <section class="slip lone list" aria-label="List of payment links">
        <div class="filters">
          <Chips
            name="State"
            value={filters.status}
            choices={states}
            addressOf={(status) => to(paymentLinksRoute.at({ filters: { status, page: 1 } }))}
          />
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['link', 'links']}
      page={filters.page}
      addressOf={(page) => to(paymentLinksRoute.at({ filters: { ...filters, page } }))}
      shown={({ data }) => ({ rows: data })}
      empty={<Nothing filters={filters} />}
    >
      {(rows) => (
        <ul class="links">
          {rows.map((link) => (
            <LinkRow key={link.id} link={link} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function LinkRow({ link }: { readonly link: PaymentLink }) {
  const { to } = useScreenContext();
  return (
    <li class="row">
      <Tag words={wordsOf(linkStates, link.status)} />
      <div class="words">
        <a class="whole" href={to(paymentLinkRoute.at({ id: link.id, filters: firstPage }))}>
          <Said text={link.name} />
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

function Nothing({ filters }: { readonly filters: LinkFilters }) {
  const { to } = useScreenContext();
  if (isUnfiltered(filters)) {
    return (
      <Empty sign="link" title="No payment link yet">
        <p class="soft">
          Create one with an amount, or let the buyer enter it. Send its address in a chat, or print its QR
          code: each buyer gets a page to pay on.
        </p>
        <a class="button" href={to(newPaymentLinkRoute.at({}))}>
          Create the first one
          <Glyph name="arrow" />
        </a>
      </Empty>
    );
  }
  return (
    <NoMatch title="No link is like that" answerTo={filters} many="links" all={to(paymentLinksEntry.link)} />
  );
}
