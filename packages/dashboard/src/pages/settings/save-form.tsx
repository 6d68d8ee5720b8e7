import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Card, Notice } from '../../parts/card.tsx';
import { Form, useSending } from '../../parts/form.tsx';
import { text } from '../../text/text.ts';

interface SaveFormProps {
  readonly title: string;
  readonly explain: string;
  /** Whether there is anything to save. */
  readonly isChanged: boolean;
  /** Why it cannot be saved yet. */
  readonly problem?: string | undefined;
  readonly onSave: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A card with fields and a button that saves them. What was entered stays when it cannot be saved. */
export function SaveForm({ title, explain, isChanged, problem, onSave, children }: SaveFormProps) {
  const saving = useSending();
  const submit = () => {
    if (problem === undefined) void saving.send(onSave);
  };
  return (
    <Card title={title}>
      <p class="small">{explain}</p>
      <Form onSubmit={submit}>
        {children}
        {problem !== undefined && (
          <Notice tone="warn" role="status">
            {problem}
          </Notice>
        )}
        {saving.problem !== undefined && (
          <Notice tone="bad" role="alert">
            {saving.problem}
          </Notice>
        )}
        <div class="row">
          <button
            type="submit"
            class="primary"
            disabled={!isChanged || problem !== undefined}
            aria-disabled={saving.isSending}
          >
            {saving.isSending ? text.saving : text.save}
          </button>
          <span class="small" role="status">
            {saving.isDone && !isChanged ? text.settings.saved : ''}
          </span>
        </div>
      </Form>
    </Card>
  );
}

/** What is saved, and what is entered since then. `accept` what the server has saved. */
export function useDraft<Value>(initial: Value) {
  const saved = useSignal(initial);
  const draft = useSignal(initial);
  const set = (entered: Value) => {
    draft.value = entered;
  };
  const accept = (stored: Value, entered = stored) => {
    saved.value = stored;
    set(entered);
  };
  const isChanged = JSON.stringify(draft.value) !== JSON.stringify(saved.value);
  return { saved: saved.value, draft: draft.value, isChanged, set, accept };
}
