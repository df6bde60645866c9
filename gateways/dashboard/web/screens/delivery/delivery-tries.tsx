/** How a delivery was sent: where to, the headers of its last try, and every try. */
import { useRef } from 'preact/hooks';
import { endpointRoute } from '../../places.ts';
import { useAsked, type Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import type { Delivery, Tries, Try } from '../../wire/types.ts';
import { durationText } from '../../words/time.ts';
import { Code } from '../../parts/copy.tsx';
import { UserText, Tag } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { When } from '../../parts/when.tsx';

/** Asked again whenever another try has ended; until the answer is there, the one before it is shown. */
export function useTries({ id, attempts, status }: Delivery): Asked<Tries> {
  const { api, place } = useScreenContext();
  const asked = useAsked(`tries ${id} ${attempts} ${status}`, () =>
    api.call('GET webhooks/deliveries/{id}/tries', place, { id }),
  );
  const last = useRef<{ readonly id: string; readonly value: Tries } | null>(null);
  if (asked.value !== null) last.current = { id, value: asked.value };
  return { ...asked, value: last.current?.id === id ? last.current.value : null };
}

export function EndpointName({
  endpointId,
  tries,
}: {
  readonly endpointId: string;
  readonly tries: Tries | null;
}) {
  const { to } = useScreenContext();
  if (tries === null) return <>{endpointId}</>;
  if (tries.url === null) return <>deleted ({endpointId})</>;
  return (
    <a href={to(endpointRoute.at({ id: endpointId }))}>
      <UserText text={tries.url} />
    </a>
  );
}

export function SentHeaders({ asked }: { readonly asked: Asked<Tries> }) {
  const { value } = asked;
  if (value === null || value.headers === null) return null;
  const lines = Object.entries(value.headers).map(([name, text]) => `${name}: ${text}`);
  return (
    <section class="slip lone act wrapped" aria-labelledby="sent-headers">
      <h2 id="sent-headers">Headers of the last try</h2>
      <Code what="Headers sent" text={lines.join('\n')} />
    </section>
  );
}

/** What ended a delivery that had tries left, and what to do. */
export function EndedEarly({ tries }: { readonly tries: Tries | null }) {
  if (tries?.endedByEndpoint !== true) return null;
  if (tries.url === null) return <p>Ended: the endpoint was deleted.</p>;
  return <p>Ended: the endpoint was disabled. {tries.isEnabled && 'It is enabled again: send it again.'}</p>;
}

/** An older version of the service stored this in place of the last answer. */
export const isUnsent = (status: number | null, answer: string | null): boolean =>
  status === null && answer === 'endpoint disabled or deleted';

export function EachTry({ asked, delivery }: { readonly asked: Asked<Tries>; readonly delivery: Delivery }) {
  const { value, failure, again } = asked;
  if (delivery.lastAttemptAt === null) return null;
  return (
    <section class="slip lone act" aria-labelledby="each-try">
      <h2 id="each-try">Each try</h2>
      {failure !== null && <Failed failure={failure} again={again} />}
      {value === null ? (
        failure === null && <Loading lines={2} what="the tries" />
      ) : (
        <>
          <ol class="tries">
            {value.tries.map((one, at) => (
              <OneTry key={`${at} ${one.at ?? ''}`} one={one} />
            ))}
          </ol>
          {value.tries.length < delivery.attempts && (
            <p class="soft">Older tries are not kept: there were {delivery.attempts} in all.</p>
          )}
        </>
      )}
    </section>
  );
}

function OneTry({ one: { at, status, answer, durationMs } }: { readonly one: Try }) {
  const { now } = useScreenContext();
  const isGood = status !== null && status >= 200 && status < 300;
  const silence = isUnsent(status, answer) ? 'Ended' : 'No answer';
  const word = status === null ? silence : `Answered ${status}`;
  return (
    <li class="try">
      <Tag words={{ word, tone: isGood ? 'good' : 'bad', sign: isGood ? 'check' : 'cross' }} />
      <span class="answer soft">
        {answer === null || answer === '' ? (
          isGood ? (
            'Accepted.'
          ) : (
            'Without a text.'
          )
        ) : (
          <UserText text={answer} />
        )}
      </span>
      <span class="soft end">
        {at !== null && <When at={at} now={now} />}
        {durationMs !== null && <> · {durationText(durationMs)}</>}
      </span>
    </li>
  );
}
