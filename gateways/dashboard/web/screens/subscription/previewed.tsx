/** What an action will do, as the service answers it before it is asked to. */
import { useRef, useState } from 'preact/hooks';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { Effects } from '../../parts/effects.tsx';
import { FormFailure, Loading } from '../../parts/notices.tsx';
import type { Plan, SubscriptionAction } from '../../wire/billing-types.ts';
import { previewTexts, type Affected } from '../../words/billing-effects.ts';

export interface PreviewedProps {
  readonly of: Affected;
  readonly action: SubscriptionAction;
  /** As in the body of the action. */
  readonly fields: Readonly<Record<string, string>>;
  /** The plan that it may change to. */
  readonly to?: Plan;
  /** Said after the rest. */
  readonly more?: readonly string[];
}

export function Previewed({ of, action, fields, to, more = [] }: PreviewedProps) {
  const { api, place } = useScreenContext();
  const { id } = of.subscription;
  // as it is when the form opens: once it has done the action it refuses another one, and the form is still there
  const [sequence] = useState(of.subscription.sequence);
  const last = useRef(fields);
  const hasMoved = of.subscription.sequence !== sequence;
  if (!hasMoved) last.current = fields;
  const asked = last.current;
  const key = new URLSearchParams({ ...asked, action, sequence: String(sequence) });
  const { value, failure } = useAsked(
    `preview ${id} ${key}`,
    () => api.call('GET /v1/billing/subscriptions/{id}/preview', place, { id, query: { ...asked, action } }),
    'nothing',
  );
  // the fields have changed since, and nothing was asked about them
  if (hasMoved && new URLSearchParams(asked).toString() !== new URLSearchParams(fields).toString())
    return null;
  if (value !== null) return <Effects effects={[...previewTexts(value, of, to), ...more]} />;
  return failure === null ? <Loading lines={2} what="what this does" /> : <FormFailure failure={failure} />;
}
