/** The fields of an endpoint: its address, its event types, a note. */
import { useState } from 'preact/hooks';
import { descriptionCharactersMax, urlCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import type { Result } from '../wire/failure.ts';
import { good, optionalText, readForm, requiredText } from '../wire/form-reading.ts';
import type { Endpoint, EndpointRequest } from '../wire/types.ts';
import { RequestForm } from './request-form.tsx';

export interface EndpointFormProps<Value> {
  /** The types to choose from. */
  readonly eventTypes: readonly string[];
  /** What it is now; absent: a new one. */
  readonly endpoint?: Endpoint;
  /** Of its button. */
  readonly word: string;
  readonly send: (request: EndpointRequest, idempotencyKey: string) => Promise<Result<Value>>;
  readonly onDone: (value: Value) => void;
  readonly onBack?: () => void;
}

export function EndpointForm<Value>(of: EndpointFormProps<Value>) {
  const { eventTypes, endpoint, word, send, onDone, onBack } = of;
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? ['*']);
  return (
    <RequestForm
      name={word}
      word={word}
      fields={[
        {
          name: 'url',
          label: 'Address',
          inputMode: 'url',
          maxLength: urlCharactersMax,
          placeholder: 'https://shop.example/hooks',
          initial: endpoint?.url,
          spellcheck: false,
          note: 'Signed events are sent there by POST.',
        },
        () => <EventPicker eventTypes={eventTypes} events={events} onEvents={setEvents} />,
        {
          name: 'description',
          label: 'Note',
          maxLength: descriptionCharactersMax,
          initial: endpoint?.description ?? '',
          note: 'For yourself; may be empty.',
        },
      ]}
      read={(text) =>
        readForm(
          {
            url: requiredText(text('url'), urlCharactersMax, 'Write the address of your server.'),
            events: good(events),
            description: optionalText(text('description'), descriptionCharactersMax),
          },
          (values) => values,
        )
      }
      isWaiting={events.length === 0}
      send={send}
      onDone={onDone}
      onBack={onBack}
    />
  );
}

interface EventPickerProps {
  readonly eventTypes: readonly string[];
  /** `['*']`: all, also those to come. */
  readonly events: readonly string[];
  readonly onEvents: (events: readonly string[]) => void;
}

function EventPicker({ eventTypes, events, onEvents }: EventPickerProps) {
  const isAll = events.includes('*');
  // a type that an older form has chosen stays in the list
  const known = [...new Set([...eventTypes, ...events.filter((each) => each !== '*')])].toSorted();
  const toggle = (type: string): void =>
    onEvents(events.includes(type) ? events.filter((each) => each !== type) : [...events, type]);
  return (
    <fieldset class="event-choice">
      <legend>Events</legend>
      <label class="check">
        <input type="radio" name="events" checked={isAll} onChange={() => onEvents(['*'])} />
        <span>
          <b>Every event</b>
          <span class="soft">Also types that are added later.</span>
        </span>
      </label>
      <label class="check">
        <input type="radio" name="events" checked={!isAll} onChange={() => onEvents(['payment.succeeded'])} />
        <span>
          <b>Only some</b>
        </span>
      </label>
      {!isAll && (
        <div class="event-types" role="group" aria-label="Event types">
          {known.map((type) => (
            <label key={type} class="check">
              <input type="checkbox" checked={events.includes(type)} onChange={() => toggle(type)} />
              <span>{type}</span>
            </label>
          ))}
          {events.length === 0 && <p class="wrong">Choose at least one.</p>}
        </div>
      )}
    </fieldset>
  );
}
