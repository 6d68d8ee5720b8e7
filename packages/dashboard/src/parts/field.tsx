import type { InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Why the value cannot be used. */
  readonly problem?: string | undefined;
};

/** An input with its label, a hint and the reason why its value is wrong. */
export function Field({ label, hint, problem, ...input }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
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
