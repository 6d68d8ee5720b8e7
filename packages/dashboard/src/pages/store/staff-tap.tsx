import { useSignal } from '@preact/signals';
import { isRefused, newId, staffPassages, tapStaff, undoStaffPassage } from '../../data/calls.ts';
import { serverNow } from '../../data/clock.ts';
import { DialogButton } from '../../parts/dialog.tsx';
import { Field } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { EnteredToday } from './entered-today.tsx';

interface StaffTapProps {
  readonly sid: string;
  /** The present business day. */
  readonly date: string;
}

/** Declares that staff came in just now, who are left out of the visitors, and undoes it. */
export function StaffTap(props: StaffTapProps) {
  return (
    <DialogButton
      label={text.staffTap.button}
      title={text.staffTap.button}
      content={(close) => (
        <>
          <TapForm {...props} onDone={close} />
          <Taps {...props} />
        </>
      )}
    />
  );
}

/** A declaration that the server may have stored, although it has not answered. It is sent again unchanged. */
type Sent = Omit<Parameters<typeof tapStaff>[0], 'store'>;

function TapForm({ sid, onDone }: StaffTapProps & { readonly onDone: () => void }) {
  const sent = useSignal<Sent | undefined>(undefined);
  const submit = async (given: FormData) => {
    const at = new Date(serverNow()).toISOString();
    sent.value ??= { id: newId(), at, people: Number(given.get('people')) };
    await tapStaff({ store: sid, ...sent.value }).catch((error) => {
      if (isRefused(error)) sent.value = undefined;
      throw error;
    });
    setTimeout(onDone, 1_500);
  };
  return (
    <Form
      onSubmit={submit}
      onCancel={onDone}
      submit={text.save}
      done={sent.value && text.staffTap.done(sent.value.people)}
    >
      <p>{text.staffTap.explain}</p>
      <Field
        label={text.staff}
        name="people"
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        defaultValue={1}
        readOnly={sent.value !== undefined}
        required
      />
    </Form>
  );
}

/** What was declared today, with buttons to undo it. */
function Taps({ sid, date }: StaffTapProps) {
  const { value: taps = [], reload } = useLoaded(() => staffPassages(sid, date), [sid, date]);
  return (
    <EnteredToday
      entries={taps}
      wordsOf={({ people, at }) => text.staffTap.entry(people, timeOf(at))}
      undo={({ id }) => undoStaffPassage(id).then(reload)}
    />
  );
}
