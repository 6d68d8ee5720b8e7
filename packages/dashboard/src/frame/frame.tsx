import type { ComponentChildren } from 'preact';
import type { LiveState } from '../data/live.ts';
import type { Session } from '../data/shapes.ts';
import { hrefOf, type Route, today } from '../parts/address.ts';
import { Name } from '../parts/card.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { timeHere } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { LanguageMenu } from './language-menu.tsx';
import { route } from './route.ts';

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
        <div class="inside">
          <strong class="company">
            <Name>{session.company}</Name>
          </strong>
          <nav aria-label={text.nav.label}>
            <NavLink to={{ page: 'overview', view: today }} label={text.nav.overview} />
            <NavLink to={{ page: 'devices' }} label={text.nav.devices} />
            <NavLink to={{ page: 'reports' }} label={text.nav.reports} />
            <NavLink to={{ page: 'wall' }} label={text.nav.wall} />
            {session.settings && <NavLink to={{ page: 'settings' }} label={text.nav.settings} />}
          </nav>
          <div class="row">
            <ContactMark live={live} />
            <LanguageMenu />
            <button
              type="button"
              class="quiet icon"
              aria-label={text.nav.signOut}
              title={text.nav.signOut}
              onClick={onLeave}
            >
              <Glyph name="out" />
            </button>
          </div>
        </div>
      </header>
      <ContactBanner live={live} />
      <main id="content" tabIndex={-1} data-contact={live.contact.value}>
        {children}
      </main>
    </>
  );
}

/** The page of one store belongs to that of all stores. */
function NavLink({ to, label }: { readonly to: Route; readonly label: string }) {
  const { page } = route.value;
  const isHere = page === to.page || (page === 'store' && to.page === 'overview');
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

function ContactMark({ live }: { readonly live: LiveState }) {
  const contact = live.contact.value;
  const words = {
    connecting: text.contact.connecting,
    live: live.isPolled.value ? text.contact.polled : text.contact.live,
    stale: text.contact.old,
    lost: text.contact.old,
  };
  return (
    <span class={`contact ${contact}`}>
      <span class="dot" aria-hidden="true" />
      {words[contact]}
    </span>
  );
}

/** Says since when the numbers are old, or why they are not quite live. */
function ContactBanner({ live }: { readonly live: LiveState }) {
  const contact = live.contact.value;
  const since = live.freshAt.value;
  const isOld = contact === 'stale' || contact === 'lost';
  return (
    <div role="status">
      {isOld && (
        <p class="contact-banner">
          {since === undefined ? text.contact.never : text.contact[contact](timeHere(since))}
        </p>
      )}
      {contact === 'live' && live.isPolled.value && (
        <p class="contact-note small">{text.contact.whyPolled}</p>
      )}
    </div>
  );
}
