import { signal } from '@preact/signals';
import { Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';

/** Who made the last entry: on one device that is usually the same person. Forgotten with the page. */
export const enteredName = signal('');

/** Asks who makes an entry. */
export function NameField() {
  return (
    <Field
      label={text.correction.by}
      name="by"
      autocomplete="name"
      maxLength={200}
      pattern=".*\S.*"
      required
      value={enteredName.value}
      onInput={({ currentTarget }) => {
        enteredName.value = currentTarget.value;
      }}
    />
  );
}
