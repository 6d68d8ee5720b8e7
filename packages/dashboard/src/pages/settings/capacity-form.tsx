import { useSignal } from '@preact/signals';
import { saveStoreSettings } from '../../data/settings-calls.ts';
import { Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';
import { SaveForm } from './save-form.tsx';

/** How many people may be inside. */
export function CapacityForm({ sid, capacity }: { readonly sid: string; readonly capacity: number | null }) {
  const saved = useSignal(capacity === null ? '' : String(capacity));
  const entered = useSignal(saved.value);
  const save = async () => {
    const wanted = entered.value.trim();
    await saveStoreSettings(sid, { capacity: wanted === '' ? null : Number(wanted) });
    saved.value = wanted;
  };
  return (
    <SaveForm
      title={text.settings.capacity}
      explain={text.settings.capacityExplain}
      isChanged={entered.value.trim() !== saved.value}
      onSave={save}
    >
      <Field
        label={text.settings.people}
        hint={text.settings.capacityHint}
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        step={1}
        value={entered.value}
        onInput={({ currentTarget }) => {
          entered.value = currentTarget.value;
        }}
      />
    </SaveForm>
  );
}
