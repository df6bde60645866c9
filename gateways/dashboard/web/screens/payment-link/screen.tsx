/** One payment link: its address and QR code, its uses as they happen, its switch, and its payments. */
import { detailScreenOf, type DetailProps } from '../../detail-screen.tsx';
import { useAsked } from '../../asked.ts';
import { paymentLinkRoute, paymentLinksEntry } from '../../places.ts';
import { useScreenContext } from '../../context.ts';
import { queryOf } from '../../lists/filters.ts';
import { rowsOfLink } from '../../lists/payment-rows.ts';
import { LinkActions } from './link-actions.tsx';
import { LinkShare } from './link-share.tsx';
import { FactList, UserText, Tag } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { PaymentTable } from '../../parts/payment-table.tsx';
import { When } from '../../parts/when.tsx';
import type { PaymentLink } from '../../wire/types.ts';
import { linkAmountText, usesText } from '../../words/links.ts';
import { linkStates, wordsOf } from '../../words/words.ts';

interface LinkParams {
  readonly id: string;
  readonly filters: (typeof paymentLinkRoute)['none'];
}

export const paymentLink = detailScreenOf({
  route: paymentLinkRoute,
  navigation: paymentLinksEntry,
  follows: ['link'],
  kind: 'Payment link',
  idWord: 'link id',
  idOf: ({ id }) => id,
  back: ['Payment links', paymentLinksEntry.link],
  load: ({ api, place }, { id }) => ({
    key: `link ${id}`,
    ask: () => api.call('GET /v1/payment-links/{id}', place, { id }),
  }),
  newest: (answered) => answered,
  name: ({ name }) => name,
  view: Whole,
});

function Whole({ known: link, params, again }: DetailProps<PaymentLink, LinkParams>) {
  return (
    <>
      <div class="columns even">
        <LinkShare link={link} />
        <section class="slip lone act" aria-labelledby="standing">
          <h2 id="standing" tabIndex={-1}>
            How it stands
          </h2>
          <Uses link={link} />
          <Facts link={link} />
          <LinkActions link={link} onChanged={again} />
        </section>
      </div>
      <section class="slip lone list" aria-labelledby="payments-of-link">
        <h2 id="payments-of-link" class="of-list">
          Its payments
        </h2>
        <Payments link={link} page={params.filters.page} />
      </section>
    </>
  );
}

const Uses = ({ link }: { readonly link: PaymentLink }) => (
  <p class="use-count">
    <b>{usesText(link)}</b>
    {link.maxUses !== null && (
      <progress
        max={link.maxUses}
        value={Math.min(link.usedCount, link.maxUses)}
        aria-label={usesText(link)}
      />
    )}
  </p>
);

function Facts({ link }: { readonly link: PaymentLink }) {
  const { now } = useScreenContext();
  const { status, description, returnUrl, collectAddress, expiresAt, createdAt } = link;
  return (
    <FactList
      of={[
        ['State', <Tag words={wordsOf(linkStates, status)} />],
        ['Amount', linkAmountText(link)],
        expiresAt !== null && [
          status === 'expired' ? 'Ended' : 'Open until',
          <When at={expiresAt} now={now} />,
        ],
        description !== null && ['Description', <UserText text={description} />],
        returnUrl !== null && ['Returns to', <UserText text={returnUrl} />],
        collectAddress && ['Asks for', 'An address'],
        ['Created', <When at={createdAt} now={now} />],
      ]}
    />
  );
}

function Payments({ link, page }: { readonly link: PaymentLink; readonly page: number }) {
  const { api, place, liveState, now, to } = useScreenContext();
  const { id, referenceId } = link;
  const query = queryOf({ page, linkId: id });
  const asked = useAsked(`payments of ${query}`, () => api.call('GET /v1/payments', place, { query }), []);
  return (
    <PagedList
      asked={asked}
      what={['payment', 'payments']}
      page={page}
      addressOf={(at) => to(paymentLinkRoute.at({ id, filters: { page: at } }))}
      shown={(listed) => rowsOfLink(listed, { referenceId, page }, { ...liveState, now })}
      empty={
        <Empty sign="till" title="Nobody has paid by it yet">
          <p class="soft">
            Send its address, or show its QR code. A payment appears here while the buyer pays.
          </p>
        </Empty>
      }
    >
      {(rows) => <PaymentTable rows={rows} />}
    </PagedList>
  );
}
