import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clockOffset } from '../../data/audit-calls.ts';
import { isRefused, newId, tapStaff } from '../../data/calls.ts';
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

/** A declaration that the server may have stored, although it has not answered. It is sent again unchanged. */
type Sent = Omit<Parameters<typeof tapStaff>[0], 'store'>;

function TapForm({ sid, onMessage, onDone }: TapFormProps) {
  const sent = useSignal<Sent | undefined>(undefined);
  const offset = useSignal(0);
  useEffect(() => {
    void clockOffset().then(
      (ahead) => {
        offset.value = ahead;
      },
      () => {
        /* Then the instant is that of this device. */
      },
    );
  }, []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const people = Number(new FormData(form).get('people'));
    const tap = sent.value ?? { id: newId(), at: new Date(Date.now() + offset.value).toISOString(), people };
    sent.value = tap;
    try {
      await tapStaff({ store: sid, ...tap });
      onMessage(text.staffTap.done(tap.people));
      setTimeout(onDone, 1_500);
    } catch (error) {
      if (isRefused(error)) sent.value = undefined;
      onMessage(isRefused(error) ? text.correction.refused : text.correction.unanswered);
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
        readOnly={sent.value !== undefined}
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
