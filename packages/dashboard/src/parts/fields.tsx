import { type Signal, signal } from '@preact/signals';
import type { InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { languageCodes } from '../data/shapes.ts';
import { type Language, languages } from '../text/locale.ts';
import { text } from '../text/text.ts';
import { Empty } from './card.tsx';
import { Glyph } from './glyph.tsx';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why the value cannot be used. */
  readonly problem?: string | undefined;
  /** Has what is entered. */
  readonly entered?: Signal<string>;
};

/** An input with its label, a hint and the reason why its value is wrong. */
export function Field({ label, hint, problem, entered, ...input }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        {...(entered && bound(entered))}
        id={id}
        aria-invalid={problem !== undefined}
        {...(described && { 'aria-describedby': described })}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {problem && (
        <span id={`${id}-problem`} class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

/** The value of a field that writes what is entered into a signal. */
export function bound(entered: Signal<string>) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
    entered.value = currentTarget.value;
  };
  return { value: entered.value, onInput };
}

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
      entered={enteredName}
    />
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly name?: string;
  /** Whether only screen readers read the label. */
  readonly isLabelHidden?: boolean;
  readonly value: Value;
  /** Each with its name. */
  readonly options: readonly (readonly [Value, string])[];
  /** Left out where the form has the value. */
  readonly onChoose?: (value: Value) => void;
}

/** A field with a list of values, of which one is chosen. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, name, isLabelHidden = false, value, options, onChoose } = props;
  const choose = (given: string) => {
    const found = options.find(([one]) => one === given);
    if (found) onChoose?.(found[0]);
  };
  return (
    <label class={isLabelHidden ? '' : 'field'}>
      <span class={isLabelHidden ? 'hidden' : ''}>{label}</span>
      <select name={name} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The language of a mail. */
export function LanguageChoice(props: Omit<ChoiceProps<Language>, 'label' | 'options'>) {
  return (
    <Choice {...props} label={text.language} options={languageCodes.map((one) => [one, languages[one]])} />
  );
}

/** A list of so few entries has no search. */
export const few = 6;

interface SearchFieldProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onInput'> {
  readonly label: string;
}

/** A field in which users type what they look for; the page shows matches immediately. */
export function SearchField({ label, ...input }: SearchFieldProps) {
  return (
    <label class="search">
      <Glyph name="search" />
      <span class="hidden">{label}</span>
      <input type="search" placeholder={label} {...input} />
    </label>
  );
}

/** That a search finds nothing, and a way back. */
export function NotFound({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty glyph="search">
      <p>{text.notFound}</p>
      <button type="button" onClick={onClear}>
        {text.showAll}
      </button>
    </Empty>
  );
}

interface CheckboxProps {
  readonly label: string;
  readonly name?: string;
  readonly isChecked: boolean;
  /** Left out where the form has the value. */
  readonly onChange?: (isChecked: boolean) => void;
}

export function Checkbox({ label, name, isChecked, onChange }: CheckboxProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        {...(onChange ? { checked: isChecked } : { defaultChecked: isChecked })}
        onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
