/** The fields of an endpoint: its address, its event types, a note. */
import { useRef, useState } from 'preact/hooks';
import { descriptionCharactersMax, urlCharactersMax } from '../../../../src/kernel/text-bounds.ts';
import type { Result } from '../wire/failure.ts';
import type { Endpoint } from '../wire/types.ts';
import type { EndpointRequest } from '../wire/webhook-api.ts';
import { FormFailure } from './notices.tsx';
import { useSubmit } from './use-submit.ts';

export interface EndpointFormProps<Value> {
  /** The types to choose from. */
  readonly eventTypes: readonly string[];
  /** What it is now; absent: a new one. */
  readonly endpoint?: Endpoint;
  /** Of its button. */
  readonly word: string;
  /** Sent twice it does the same. */
  readonly send: (request: EndpointRequest) => Promise<Result<Value>>;
  readonly onDone: (value: Value) => void;
  readonly onBack?: () => void;
}

export function EndpointForm<Value>(of: EndpointFormProps<Value>) {
  const { endpoint, word, send, onDone, onBack } = of;
  const [events, setEvents] = useState<readonly string[]>(endpoint?.events ?? ['*']);
  const { isBusy, failure, edited, submit } = useSubmit();
  const url = useRef<HTMLInputElement>(null);
  const description = useRef<HTMLInputElement>(null);
  const submitted = (event: SubmitEvent): void => {
    const text = (field: HTMLInputElement | null): string => field?.value.trim() ?? '';
    const note = text(description.current);
    const request = { url: text(url.current), events, description: note === '' ? null : note };
    submit(() => send(request), onDone, event);
  };
  return (
    <form class="form bare" aria-label={word} onSubmit={submitted} onInput={edited}>
      <label class="field">
        Address
        <input
          ref={url}
          type="url"
          required
          maxLength={urlCharactersMax}
          placeholder="https://shop.example/hooks"
          defaultValue={endpoint?.url ?? ''}
          autocomplete="off"
          spellcheck={false}
        />
        <span class="soft">Signed events are sent there by POST.</span>
      </label>
      <EventPicker eventTypes={of.eventTypes} events={events} onEvents={setEvents} />
      <label class="field">
        Note
        <input
          ref={description}
          maxLength={descriptionCharactersMax}
          defaultValue={endpoint?.description ?? ''}
          autocomplete="off"
        />
        <span class="soft">For yourself; may be empty.</span>
      </label>
      {failure !== null && <FormFailure failure={failure} />}
      <div class="buttons">
        <button class="button fit" type="submit" aria-busy={isBusy} disabled={events.length === 0}>
          {word}
        </button>
        {onBack !== undefined && (
          <button class="button second fit" type="button" onClick={onBack}>
            Back
          </button>
        )}
      </div>
    </form>
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
