import { Field } from '../../parts/field.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { text } from '../../text/text.ts';

/** Asks who was at the door, and for a note: `by` and `note` of the form. */
export function AuditorFields() {
  return (
    <>
      <NameField />
      <Field label={text.optionalNote} name="note" maxLength={200} />
    </>
  );
}

/** What was entered in these fields. */
export function auditorIn(form: FormData): { readonly by: string; readonly note: string } {
  return { by: String(form.get('by')).trim(), note: String(form.get('note')).trim() };
}
