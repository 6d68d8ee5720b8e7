import { useSignal } from '@preact/signals';
import { RequestError, signIn } from '../data/calls.ts';
import type { Session } from '../data/shapes.ts';
import { LanguageMenu } from '../frame/language-menu.tsx';
import { Field } from '../parts/field.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { text } from '../text/text.ts';

interface SignInProps {
  readonly notice: string | undefined;
  readonly onSignedIn: (session: Session) => void;
}

/** Exchanges a staff credential for a session. The credential is sent once and not stored. */
export function SignInPage({ notice, onSignedIn }: SignInProps) {
  const problem = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement) || busy.value) return;
    busy.value = true;
    try {
      onSignedIn(await signIn(String(new FormData(form).get('token') ?? '').trim()));
    } catch (error) {
      problem.value = reasonOf(error);
    }
    busy.value = false;
  };
  return (
    <main class="sign-in">
      <div class="row spread">
        <div class="brand">
          <Glyph name="people" />
          <h1>{text.title}</h1>
        </div>
        <LanguageMenu />
      </div>
      {notice && <p role="status">{notice}</p>}
      <form class="card" onSubmit={submit}>
        <h2>{text.signIn.heading}</h2>
        <Field
          label={text.signIn.token}
          hint={text.signIn.hint}
          problem={problem.value}
          name="token"
          type="password"
          autocomplete="current-password"
          required
        />
        <button type="submit" class="primary" disabled={busy.value}>
          {text.signIn.heading}
        </button>
      </form>
    </main>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RequestError)) return text.failed;
  const isWrong = error.status === 400 || error.status === 401 || error.status === 403;
  return isWrong ? text.signIn.wrong : text.unreachable;
}
