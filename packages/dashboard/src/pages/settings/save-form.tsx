import type { ComponentChildren } from 'preact';
import { Card } from '../../parts/card.tsx';
import { Form } from '../../parts/form.tsx';
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
  /** Below the form. */
  readonly below?: ComponentChildren;
}

/** A card with fields and a button that saves them. What was entered stays when it cannot be saved. */
export function SaveForm({ title, explain, loaded, problem, onSave, children, below }: SaveFormProps) {
  return (
    <Card title={title}>
      <p class="small">{explain}</p>
      {loaded && <Loading of={loaded} />}
      {(!loaded || loaded.value !== undefined) && (
        <Form
          onSubmit={onSave}
          submit={text.save}
          problem={problem}
          canSubmit={problem === undefined}
          done={text.settings.saved}
        >
          {children}
        </Form>
      )}
      {below}
    </Card>
  );
}
