import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { currentSession, RequestError, signOut } from './data/calls.ts';
import { createLiveState, type LiveState } from './data/live.ts';
import type { Session } from './data/shapes.ts';
import { Frame } from './frame/frame.tsx';
import { route } from './frame/route.ts';
import { DevicesPage } from './pages/devices.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { StorePage } from './pages/store.tsx';
import { WallPage } from './pages/wall.tsx';
import { Failed } from './parts/loaded.tsx';
import { language, loadLanguage, text } from './text/text.ts';

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
  const checkSession = async () => {
    const before = gate.value;
    try {
      const [session] = await Promise.all([currentSession(), languageLoaded]);
      gate.value = { state: 'in', session };
    } catch (error) {
      await languageLoaded;
      const wasIn = before.state === 'in';
      if (error instanceof RequestError && error.status === 401) {
        gate.value = { state: 'out', ...(wasIn && { notice: text.signIn.over }) };
      } else if (!wasIn) {
        gate.value = { state: 'unreachable' };
      }
      /* A signed-in user remains signed in while the server is unavailable: the page shows it and continues afterwards. */
    }
  };
  useEffect(() => void checkSession(), []);

  const { value } = gate;
  const code = language.value;
  if (value.state === 'loading' || value.state === 'unreachable') {
    return (
      <main>
        <h1 class="hidden">{text.title}</h1>
        {value.state === 'loading' ? <p class="center">{text.loading}</p> : <Failed again={checkSession} />}
      </main>
    );
  }
  if (value.state === 'out') {
    const enter = (session: Session) => {
      gate.value = { state: 'in', session };
    };
    return <SignInPage key={code} notice={value.notice} onSignedIn={enter} />;
  }
  const leave = async () => {
    await signOut().catch(() => {});
    gate.value = { state: 'out' };
  };
  return <Pages session={value.session} onRefused={checkSession} onLeave={leave} />;
}

interface PagesProps {
  readonly session: Session;
  readonly onRefused: () => void;
  readonly onLeave: () => void;
}

function Pages({ session, onRefused, onLeave }: PagesProps) {
  const live = useMemo(createLiveState, []);
  useEffect(() => live.listen(onRefused), [live]);
  const shown = route.value;
  const code = language.value;
  if (shown.page === 'wall') return <WallPage key={code} live={live} sid={shown.sid} />;
  return (
    <Frame key={code} live={live} session={session} onLeave={onLeave}>
      <Page live={live} />
    </Frame>
  );
}

function Page({ live }: { readonly live: LiveState }) {
  const shown = route.value;
  if (shown.page === 'store') return <StorePage key={shown.sid} live={live} sid={shown.sid} />;
  if (shown.page === 'devices') return <DevicesPage live={live} />;
  return <OverviewPage live={live} />;
}

const page = document.getElementById('page');
if (page) render(<App />, page);
