/** The login of a merchant: a new password, shown this once. */
import { useState } from 'preact/hooks';
import { usePageContext } from '../../context.ts';
import type { Merchant } from '../../wire/types.ts';
import { ActionForm } from '../../parts/request-form.tsx';
import { UserText } from '../../parts/marks.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';

export function MerchantLogin({ merchant }: { readonly merchant: Merchant }) {
  const { api, announce } = usePageContext();
  const [isAsked, setAsked] = useState(false);
  const [password, setPassword] = useState<string | null>(null);
  return (
    <section class="slip lone act" aria-labelledby="login">
      <h2 id="login" tabIndex={-1}>
        Login
      </h2>
      <p class="soft">
        It logs in to this dashboard as <UserText text={merchant.email} />.
      </p>
      {password !== null && (
        <ShownOnce
          title="Give this login to the merchant now"
          facts={[
            ['E-mail', merchant.email],
            ['Password', password],
          ]}
        >
          The password is not shown again.
        </ShownOnce>
      )}
      {isAsked ? (
        <ActionForm
          isDanger
          word="Replace the password"
          send={() => api.call('POST /admin/v1/merchants/{id}/reset-password', null, { id: merchant.id })}
          onDone={(made) => {
            setPassword(made.password ?? null);
            announce('A new password was made. It is shown this once.');
            setAsked(false);
          }}
          onBack={() => setAsked(false)}
        >
          <h3>What this does, at once</h3>
          <ul class="effects">
            <li>A new password is made, and shown this once.</li>
            <li>The old password opens nothing any more, and whoever is logged in with it is logged out.</li>
            <li>API keys stay as they are.</li>
          </ul>
        </ActionForm>
      ) : (
        <div class="buttons">
          <button type="button" class="step" onClick={() => setAsked(true)}>
            Make a new password
          </button>
        </div>
      )}
    </section>
  );
}
