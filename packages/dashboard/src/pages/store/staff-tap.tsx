import { useSignal } from '@preact/signals';
import { newId, tapStaff } from '../../data/calls.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';

/** Declares that staff came in just now, who are left out of the visitors. */
export function StaffTap({ sid }: { readonly sid: string }) {
  const isOpen = useSignal(false);
  const message = useSignal('');
  const close = () => {
    isOpen.value = false;
    message.value = '';
  };
  return (
    <>
      <button type="button" onClick={() => (isOpen.value = true)}>
        {text.staffTap.button}
      </button>
      <Dialog isOpen={isOpen.value} title={text.staffTap.button} onClose={close}>
        <TapForm sid={sid} onMessage={(words) => (message.value = words)} onDone={close} />
        <p role="status">{message.value}</p>
      </Dialog>
    </>
  );
}

interface TapFormProps {
  readonly sid: string;
  readonly onMessage: (words: string) => void;
  readonly onDone: () => void;
}

function TapForm({ sid, onMessage, onDone }: TapFormProps) {
  /* The same declaration, however often it is sent: that of when the dialog was opened. */
  const tap = useSignal({ id: newId(), at: new Date().toISOString() });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const people = Number(new FormData(form).get('people'));
    try {
      await tapStaff({ store: sid, people, ...tap.value });
      onMessage(text.staffTap.done(people));
      setTimeout(onDone, 1_500);
    } catch {
      onMessage(text.unreachable);
    }
  };
  return (
    <form class="stack" onSubmit={submit}>
      <p>{text.staffTap.explain}</p>
      <Field
        label={text.staffTap.people}
        name="people"
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        defaultValue={1}
        required
      />
      <div class="actions">
        <button type="button" onClick={onDone}>
          {text.cancel}
        </button>
        <button type="submit" class="primary">
          {text.save}
        </button>
      </div>
    </form>
  );
}
