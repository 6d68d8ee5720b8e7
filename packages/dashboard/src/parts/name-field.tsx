import { signal } from '@preact/signals';
import { text } from '../text/text.ts';
import { Field } from './field.tsx';

/** Who made the last entry: on one device that is usually the same person. Forgotten with the page. */
export const enteredName = signal('');

/** Asks who makes an entry. */
export function NameField() {
  return (
    <Field
      label={text.yourName}
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
