import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Card, Notice } from '../../parts/card.tsx';
import { Form, useSending } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
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

interface Items<Item> {
  readonly items: readonly Item[];
}

/** A list that is loaded, changed and saved: `accept` the answer to both. `list` is what is entered. */
export function useSettingsList<Item>(load: () => Promise<Items<Item>>) {
  const loaded = useLoaded(load, []);
  const saved = useSignal<readonly Item[]>([]);
  const list = useSignal<readonly Item[]>([]);
  const change = (items: readonly Item[]) => {
    list.value = items;
  };
  const accept = ({ items }: Items<Item>) => {
    saved.value = items;
    change(items);
  };
  useEffect(() => {
    if (loaded.value) accept(loaded.value);
  }, [loaded.value]);
  return { loaded, saved: saved.value, list: list.value, change, accept };
}
