/** One API key in its list; an active one can be revoked here. */
import { useState } from 'preact/hooks';
import type { RowProps } from '../../parts/list-section.tsx';
import { useScreenContext } from '../../context.ts';
import type { ApiKey } from '../../wire/types.ts';
import { agoText, dayText } from '../../words/time.ts';
import { keyState, keyStates } from '../../words/settings.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { Glyph, UserText, Tag } from '../../parts/marks.tsx';
import { Ago } from '../../parts/when.tsx';

export function KeyItem({ row: key, again }: RowProps<ApiKey>) {
  // keys live on real time, also in the sandbox, and so does their screen
  const { now } = useScreenContext();
  const state = keyState(key, now);
  return (
    <li class="set-row" id={key.id}>
      <div class="set-line">
        <h2 class="set-name" tabIndex={-1}>
          <UserText text={key.name ?? 'No name'} />
        </h2>
        <Tag words={keyStates[state]} />
        <code class="end">
          {key.prefix}…{key.last4}
        </code>
      </div>
      <p class="soft">
        {key.kind === 'secret'
          ? `Secret, ${key.access === 'full' ? 'full access' : 'read only'}`
          : 'Publishable'}
        {' · created '}
        <Ago at={key.createdAt} now={now} />
        {' · '}
        {key.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <Ago at={key.lastUsedAt} now={now} />
          </>
        )}
        <Ending of={key} now={now} />
      </p>
      {state === 'active' && <Revoke of={key} now={now} onRevoked={again} />}
    </li>
  );
}

function Ending({ of: { revokedAt, expiresAt }, now }: { readonly of: ApiKey; readonly now: number }) {
  if (revokedAt !== null)
    return (
      <>
        {' · revoked '}
        <Ago at={revokedAt} now={now} />
      </>
    );
  if (expiresAt === null) return <> · no end</>;
  const at = Date.parse(expiresAt);
  return at <= now ? <> · ended {dayText(at, now)}</> : <> · works until {dayText(at, now)}</>;
}

interface RevokeProps {
  readonly of: ApiKey;
  readonly onRevoked: () => void;
  readonly now: number;
}

function Revoke({ of: key, now, onRevoked }: RevokeProps) {
  const { api, place, announce } = useScreenContext();
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <div class="buttons">
        <button
          type="button"
          class="step"
          aria-label={`Revoke ${key.name ?? key.last4}`}
          onClick={() => setAsked(true)}
        >
          <Glyph name="cross" />
          Revoke
        </button>
      </div>
    );
  return (
    <ActionForm
      isDanger
      word="Revoke this key"
      send={() => api.call('POST keys/{id}/revoke', place, { id: key.id })}
      onDone={() => {
        announce('The key was revoked.');
        setAsked(false);
        onRevoked();
      }}
      onBack={() => setAsked(false)}
    >
      <h3>What stops, within 5 seconds and for good</h3>
      <ul class="effects">
        <li>
          Every request with the key that ends in <code>{key.last4}</code> is answered 401.
          {key.lastUsedAt !== null && ` It was last used ${agoText(Date.parse(key.lastUsedAt), now)}.`}
        </li>
        <li>Live connections that were opened with it end.</li>
        <li>Your other keys, running payments and webhooks go on. Put a new key in place first.</li>
      </ul>
    </ActionForm>
  );
}
