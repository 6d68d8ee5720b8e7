import { RequestError, signIn } from '../data/calls.ts';
import type { Session } from '../data/shapes.ts';
import { LanguageMenu } from '../frame/language-menu.tsx';
import { Field } from '../parts/fields.tsx';
import { Form } from '../parts/form.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { text } from '../text/text.ts';

interface SignInProps {
  readonly notice: string | undefined;
  readonly onSignedIn: (session: Session) => void;
}

/** Exchanges a staff credential for a session. The credential is sent once and not stored. */
export function SignInPage({ notice, onSignedIn }: SignInProps) {
  const submit = async (given: FormData) => onSignedIn(await signIn(String(given.get('token')).trim()));
  return (
    <main class="sign-in">
      <div class="row spread">
        <div class="brand row">
          <Glyph name="people" />
          <h1 tabIndex={-1}>{text.title}</h1>
        </div>
        <LanguageMenu />
      </div>
      {notice && <p role="status">{notice}</p>}
      <Form
        class="card"
        onSubmit={submit}
        submit={text.signIn.heading}
        busy={text.contact.connecting}
        whyNot={reasonOf}
      >
        <h2>{text.signIn.heading}</h2>
        <Field
          label={text.signIn.token}
          hint={text.signIn.hint}
          name="token"
          type="password"
          autocomplete="current-password"
          required
        />
      </Form>
    </main>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RequestError)) return text.failed;
  if (error.status === 429) return text.signIn.tooMany;
  if (error.code === 'insecure_request') return text.signIn.insecure;
  const isWrong = error.status === 400 || error.status === 401 || error.status === 403;
  return isWrong ? text.signIn.wrong : text.unreachable;
}
