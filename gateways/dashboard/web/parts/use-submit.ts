/** What a form or a button sends: one request at a time, whether it is under way, and why it failed. */
import { useRef, useState } from 'preact/hooks';
import { afterEdit, isUnclear, type Failure, type Result } from '../wire/failure.ts';

interface Sending {
  readonly isBusy: boolean;
  /** Of the last request; null: it has not failed, or was edited since. */
  readonly failure: Failure | null;
  /** A field was edited: a clear failure is no longer shown. */
  readonly edited: () => void;
}

export interface Submit extends Sending {
  /** Does nothing while a request is under way. `event`: the form's own, which must not load a page. */
  readonly submit: <Value>(
    send: () => Promise<Result<Value>>,
    onDone: (value: Value) => void,
    event?: Event,
  ) => void;
  /** Shows this failure, or none, without a request. */
  readonly show: (failure: Failure | null) => void;
}

export function useSubmit(): Submit {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async <Value>(
    send: () => Promise<Result<Value>>,
    onDone: (value: Value) => void,
  ): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    // removed first, so that the same message is announced again on another failure
    setFailure(null);
    const result = await send();
    setBusy(false);
    if (result.ok) onDone(result.value);
    else setFailure(result.failure);
  };
  return {
    isBusy,
    failure,
    edited: () => setFailure(afterEdit),
    show: setFailure,
    submit: (send, onDone, event) => {
      event?.preventDefault();
      void run(send, onDone);
    },
  };
}

export interface Creation<Request> extends Sending {
  /** It was sent and its answer is not clear: the form stays as it is, so that sent again it is the same request. */
  readonly isFixed: boolean;
  /** Something was sent that has no clear answer yet: it is sent again, whatever `create` is given. */
  readonly isSent: () => boolean;
  /** `null`: only what was sent before. */
  readonly create: (request: Request | null) => void;
  readonly show: (failure: Failure | null) => void;
}

/** One form is one object: `send` is repeated with the same request and the same key until its answer is clear. After a
 *  refusal the form may be changed, and begins another one. */
export function useCreation<Request, Value>(
  send: (request: Request, idempotencyKey: string) => Promise<Result<Value>>,
  onDone: (value: Value) => void,
): Creation<Request> {
  const { isBusy, failure, edited, show, submit } = useSubmit();
  const sent = useRef<{ readonly request: Request; readonly key: string } | null>(null);
  const create = (request: Request | null): void => {
    if (isBusy) return;
    sent.current ??= request === null ? null : { request, key: crypto.randomUUID() };
    const sending = sent.current;
    if (sending === null) return;
    submit(async () => {
      const result = await send(sending.request, sending.key);
      if (!result.ok && !isUnclear(result.failure)) sent.current = null;
      return result;
    }, onDone);
  };
  const isFixed = isBusy || (failure !== null && isUnclear(failure));
  return { isBusy, failure, edited, show, isFixed, isSent: () => sent.current !== null, create };
}
