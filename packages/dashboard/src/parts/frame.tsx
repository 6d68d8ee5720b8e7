import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { LiveState } from '../data/live.ts';
import type { Session } from '../data/shapes.ts';
import { text } from '../text/en.ts';
import { timeIn } from '../text/times.ts';
import { hrefOf, parseRoute, type Route } from './address.ts';

interface FrameProps {
  readonly live: LiveState;
  readonly session: Session;
  readonly onLeave: () => void;
  readonly children: ComponentChildren;
}

/** The frame of every page except the wall: the company, the navigation, and whether the numbers are live. */
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

/** Not a link, since the fragment of the URL is the page. */
function focusContent(): void {
  document.getElementById('content')?.focus();
}

/** Shows whether the numbers are live, as an alert if they are not. */
function ContactLine({ live }: { readonly live: LiveState }) {
  const contact = live.contact.value;
  const since = live.lastEventAt.value;
  const message =
    contact === 'lost' ? text.contact.lost(since === undefined ? '' : timeIn(since)) : text.contact[contact];
  return (
    <p class={`contact ${contact}`} role="status" data-contact={contact}>
      <span class="dot" aria-hidden="true" />
      {message}
    </p>
  );
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));
