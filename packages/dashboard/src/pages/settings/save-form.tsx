import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isRefused } from '../../data/calls.ts';
import { Card, Notice } from '../../parts/card.tsx';
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
  const state = useSignal<'idle' | 'saving' | 'saved' | 'offline' | 'refused'>('idle');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (state.value === 'saving' || problem !== undefined) return;
    state.value = 'saving';
    try {
      await onSave();
      state.value = 'saved';
    } catch (error) {
      state.value = isRefused(error) ? 'refused' : 'offline';
    }
  };
  const { value } = state;
  return (
    <Card title={title}>
      <p class="small">{explain}</p>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {problem !== undefined && (
          <Notice tone="warn" role="status">
            {problem}
          </Notice>
        )}
        {(value === 'offline' || value === 'refused') && (
          <Notice tone="bad" role="alert">
            {text.settings[value]}
          </Notice>
        )}
        <div class="row">
          <button
            type="submit"
            class="primary"
            disabled={!isChanged || value === 'saving' || problem !== undefined}
          >
            {value === 'saving' ? text.saving : text.save}
          </button>
          <span class="small" role="status">
            {value === 'saved' && !isChanged ? text.settings.saved : ''}
          </span>
        </div>
      </form>
    </Card>
  );
}
