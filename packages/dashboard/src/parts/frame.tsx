import type { ComponentChildren } from 'preact';
import type { Session } from '../api/shapes.ts';
import type { LiveState } from '../live/live-state.ts';
import { hrefOf, type Route } from '../navigation/address.ts';
import { route } from '../navigation/route.ts';
import { text } from '../text/en.ts';
import { ContactLine } from './contact-line.tsx';

interface FrameProps {
  readonly live: LiveState;
  readonly session: Session;
  readonly onLeave: () => void;
  readonly children: ComponentChildren;
}

/** What stands around every page but the wall: whose it is, where to go, and whether the numbers are live. */
export function Frame({ live, session, onLeave, children }: FrameProps) {
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        {text.skip}
      </button>
      <header class="frame">
        <strong class="company">{session.company}</strong>
        <nav aria-label={text.nav.label}>
          <NavLink to={{ page: 'overview' }} label={text.nav.overview} />
          <NavLink to={{ page: 'devices' }} label={text.nav.devices} />
          <NavLink to={{ page: 'wall' }} label={text.nav.wall} />
        </nav>
        <button type="button" class="quiet" onClick={onLeave}>
          {text.nav.signOut}
        </button>
      </header>
      <ContactLine live={live} />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function NavLink({ to, label }: { readonly to: Route; readonly label: string }) {
  const isHere = route.value.page === to.page;
  return (
    <a href={hrefOf(to)} aria-current={isHere ? 'page' : undefined}>
      {label}
    </a>
  );
}

/** A button, since the address behind # is the page that is shown. */
function focusContent(): void {
  document.getElementById('content')?.focus();
}
