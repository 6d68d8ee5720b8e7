import { text } from '../text/en.ts';

/** That something could not be loaded, and a way to try again. */
export function Failed({ again }: { readonly again: () => void }) {
  return (
    <div class="center" role="alert">
      <p>{text.failed}</p>
      <button type="button" onClick={again}>
        {text.again}
      </button>
    </div>
  );
}
