import type { ComponentChildren } from 'preact';
import { Card, Notice } from '../../parts/card.tsx';
import { Form, useSending } from '../../parts/form.tsx';
import { Loading, type useLoaded } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';

interface SaveFormProps {
  readonly title: string;
  readonly explain: string;
  /** What must be loaded before the fields are shown. */
  readonly loaded?: ReturnType<typeof useLoaded>;
  /** Why it cannot be saved yet. */
  readonly problem?: string | undefined;
  readonly onSave: (given: FormData) => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** A card with fields and a button that saves them. What was entered stays when it cannot be saved. */
export function SaveForm({ title, explain, loaded, problem, onSave, children }: SaveFormProps) {
  const saving = useSending();
  return (
    <Card title={title}>
      <p class="small">{explain}</p>
      {loaded?.value === undefined && loaded ? (
        <Loading of={loaded} />
      ) : (
        <Form onSubmit={(given) => void saving.send(() => onSave(given))} onTouch={saving.forget}>
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
              disabled={problem !== undefined}
              aria-disabled={saving.isSending}
            >
              {saving.isSending ? text.saving : text.save}
            </button>
            <span class="small" role="status">
              {saving.isDone ? text.settings.saved : ''}
            </span>
          </div>
        </Form>
      )}
    </Card>
  );
}
