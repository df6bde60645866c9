/** A delivery in a list: its status, the event sent and the answer. The whole row is a link to it. */
import type { ComponentChildren } from 'preact';
import { deliveryRoute } from '../places.ts';
import { useScreenContext } from '../context.ts';
import type { Delivery } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { deliveryStates, wordsOf } from '../words/words.ts';
import { UserText, Tag } from './marks.tsx';
import { Ago } from './when.tsx';

export interface DeliveryRowProps {
  readonly delivery: Delivery;
  /** Where the list is of more than one endpoint. */
  readonly endpointUrl?: string;
  /** Its subject, where the list does not show it. */
  readonly children?: ComponentChildren;
}

export function DeliveryRow({ delivery, endpointUrl, children }: DeliveryRowProps) {
  const { now, to } = useScreenContext();
  const { webhookEndpointId: endpointId, eventId, eventType, status, lastAttemptAt, createdAt } = delivery;
  return (
    <li class="row">
      <Tag words={wordsOf(deliveryStates, status)} />
      <div class="words">
        <a class="whole" href={to(deliveryRoute.at({ endpointId, eventId }))}>
          {eventType}
        </a>
        {endpointUrl !== undefined && (
          <span class="soft">
            to <UserText text={endpointUrl} />
          </span>
        )}
        <span class="soft">{answerText(delivery)}</span>
      </div>
      {children !== undefined && <span class="about">{children}</span>}
      <span class="soft end">
        <Ago at={lastAttemptAt ?? createdAt} now={now} />
      </span>
    </li>
  );
}

function answerText({ attempts, responseStatus, responseBody, lastAttemptAt }: Delivery): string {
  if (lastAttemptAt === null) return responseBody ?? 'not tried yet';
  const answer = responseStatus === null ? (responseBody ?? 'no answer') : `answered ${responseStatus}`;
  return `${counted(attempts, 'try', 'tries')}, ${answer}`;
}
