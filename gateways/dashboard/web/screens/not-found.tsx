/** Pages for unknown addresses, and for users who have nothing to see yet. */
import { useEffect } from 'preact/hooks';
import { LogOutButton, type LogOut } from '../parts/log-out.tsx';
import { Glyph } from '../parts/marks.tsx';
import { home } from '../route.ts';
import type { Me } from '../wire/types.ts';
import { useFocusOnHeading, useTitle } from '../heading.ts';

export function UnknownScreen() {
  useTitle('Nothing here');
  return (
    <main class="page" id="main">
      <div class="slip lone act">
        <h1 tabIndex={-1}>There is nothing at this address</h1>
        <p class="soft">Perhaps a part of the link got lost on its way.</p>
        <a class="button" href={home}>
          To the payments
          <Glyph name="arrow" />
        </a>
      </div>
    </main>
  );
}

/** Another merchant's project, or none. */
export function UnknownPlace({ first }: { readonly first: string }) {
  useEffect(() => void (document.title = 'Nothing here · Galla'), []);
  useFocusOnHeading('nothing here');
  return (
    <main class="desk lone" id="main">
      <div class="slip lone act">
        <h1 tabIndex={-1}>This project is not one of yours</h1>
        <p class="soft">The link may be cut off, or it is for somebody else. Ask who sent it to you.</p>
        <a class="button" href={first}>
          To your payments
          <Glyph name="arrow" />
        </a>
      </div>
    </main>
  );
}

export function NoProject({ me, logOut }: { readonly me: Me; readonly logOut: LogOut }) {
  useEffect(() => void (document.title = 'No project · Galla'), []);
  useFocusOnHeading('no project');
  return (
    <main class="desk lone" id="main">
      <div class="slip lone act">
        <h1 tabIndex={-1}>There is no project yet</h1>
        <p class="soft">
          {me.email} belongs to no project. Ask who runs this Galla to make one; then load this page again.
        </p>
        <LogOutButton logOut={logOut} />
      </div>
    </main>
  );
}
