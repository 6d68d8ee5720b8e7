import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { currentSession, RequestError, signOut } from './data/calls.ts';
import { forget, keep, kept } from './data/kept.ts';
import { LiveState } from './data/live.ts';
import { Session } from './data/shapes.ts';
import { Frame } from './frame/frame.tsx';
import { route } from './frame/route.ts';
import { SignInPage } from './pages/sign-in.tsx';
import { StorePage } from './pages/store/store-page.tsx';
import { StoresPage } from './pages/stores.tsx';
import { today } from './parts/address.ts';
import { keepFocus } from './parts/keep-focus.ts';
import { Failed, lazy } from './parts/loaded.tsx';
import { language, loadLanguage, text } from './text/text.ts';

const AuditPage = lazy(async () => (await import('./pages/audit.tsx')).AuditPage);
const DevicesPage = lazy(async () => (await import('./pages/devices.tsx')).DevicesPage);
const SettingsPage = lazy(async () => (await import('./pages/settings.tsx')).SettingsPage);
const ReportsPage = lazy(async () => (await import('./pages/reports.tsx')).ReportsPage);
const WallPage = lazy(async () => (await import('./pages/wall.tsx')).WallPage);

type Gate =
  | { readonly state: 'loading' }
  | { readonly state: 'unreachable' }
  | { readonly state: 'out'; readonly notice?: string }
  | { readonly state: 'in'; readonly session: Session };

/** Loaded while the server is asked who is signed in. */
const languageLoaded = loadLanguage();

/** The sign-in page, and the other pages for a signed-in user. */
function App() {
  const gate = useSignal<Gate>({ state: 'loading' });
  const enter = (session: Session) => {
    keep('session', session);
    gate.value = { state: 'in', session };
  };
  const checkSession = async () => {
    try {
      const [session] = await Promise.all([currentSession(), languageLoaded]);
      enter(session);
    } catch (error) {
      await languageLoaded;
      const wasIn = gate.value.state === 'in';
      if (error instanceof RequestError && error.status === 401) {
        forget();
        gate.value = { state: 'out', ...(wasIn && { notice: text.signIn.over }) };
      } else if (!wasIn) {
        gate.value = { state: 'unreachable' };
      }
      /* A signed-in user remains signed in while the server is unavailable: the page shows it and continues afterwards. */
    }
  };
  /* Until the server has answered, a user who is still signed in sees the numbers of the last visit. */
  const enterAsBefore = async () => {
    const before = kept('session', Session);
    await languageLoaded;
    if (before && gate.value.state === 'loading') gate.value = { state: 'in', session: before.value };
  };
  useEffect(() => {
    void enterAsBefore();
    void checkSession();
  }, []);

  const { value } = gate;
  const code = language.value;
  if (value.state === 'loading' || value.state === 'unreachable') {
    return (
      <main>
        <h1 class="hidden">{text.title}</h1>
        <div class="center">
          {value.state === 'loading' ? <p>{text.loading}</p> : <Failed again={checkSession} />}
        </div>
      </main>
    );
  }
  if (value.state === 'out') {
    return <SignInPage key={code} notice={value.notice} onSignedIn={enter} />;
  }
  const leave = async () => {
    const isOut = await signOut().then(
      () => true,
      (error) => error instanceof RequestError && error.status === 401,
    );
    forget();
    /* Only the server can remove the cookie. */
    gate.value = { state: 'out', ...(!isOut && { notice: text.signIn.notOut }) };
  };
  return <Pages session={value.session} onRefused={checkSession} onLeave={leave} />;
}

interface PagesProps {
  readonly session: Session;
  readonly onRefused: () => void;
  readonly onLeave: () => void;
}

function Pages({ session, onRefused, onLeave }: PagesProps) {
  const live = useMemo(() => new LiveState(), []);
  useEffect(() => live.listen(onRefused), [live]);
  const shown = route.value;
  const code = language.value;
  if (shown.page === 'wall') return <WallPage key={code} live={live} sid={shown.sid} />;
  if (shown.page === 'audit') return <AuditPage key={`${code} ${shown.serial}`} serial={shown.serial} />;
  return (
    <Frame key={code} live={live} session={session} onLeave={onLeave}>
      <Page live={live} session={session} />
    </Frame>
  );
}

function Page({ live, session }: { readonly live: LiveState; readonly session: Session }) {
  const shown = route.value;
  if (shown.page === 'store')
    return <StorePage key={shown.sid} live={live} sid={shown.sid} view={shown.view} />;
  if (shown.page === 'settings' && session.settings)
    return <SettingsPage key={shown.sid} live={live} session={session} sid={shown.sid} />;
  if (shown.page === 'reports') return <ReportsPage />;
  if (shown.page === 'devices') return <DevicesPage live={live} />;
  return <StoresPage live={live} view={shown.page === 'overview' ? shown.view : today} />;
}

const page = document.getElementById('page');
if (page) render(<App />, page);
keepFocus();
