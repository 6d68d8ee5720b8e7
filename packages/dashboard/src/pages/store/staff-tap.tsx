import { useSignal } from '@preact/signals';
import { isRefused, newId, staffPassages, tapStaff, undoStaffPassage } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import type { StaffPassage } from '../../data/shapes.ts';
import { DialogButton } from '../../parts/dialog.tsx';
import { Field } from '../../parts/fields.tsx';
import { Form, useSending } from '../../parts/form.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { useServerTime } from '../../parts/server-time.ts';
import { timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { Entry } from './corrections-card.tsx';

interface StaffTapProps {
  readonly live: LiveState;
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

function TapForm({ live, sid, onDone }: StaffTapProps & { readonly onDone: () => void }) {
  const serverTime = useServerTime(live);
  const sent = useSignal<Sent | undefined>(undefined);
  const submit = async (given: FormData) => {
    const at = new Date(serverTime()).toISOString();
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
  const { problem, send } = useSending();
  const { value: taps = [], reload } = useLoaded(() => staffPassages(sid, date), [sid, date]);
  if (taps.length === 0) return null;
  const undo = ({ id }: StaffPassage) => void send(() => undoStaffPassage(id).then(reload));
  return (
    <section class="stack">
      <h3>{text.enteredToday}</h3>
      {problem && <p role="alert">{problem}</p>}
      <ul class="list">
        {taps.map((tap) => {
          const words = text.staffTap.entry(tap.people, timeOf(tap.at));
          const button = (
            <button
              type="button"
              class="quiet"
              aria-label={`${text.correction.undo}: ${words}`}
              onClick={() => undo(tap)}
            >
              {text.correction.undo}
            </button>
          );
          return <Entry key={tap.id} words={words} undone={tap.undone} undo={button} />;
        })}
      </ul>
    </section>
  );
}
