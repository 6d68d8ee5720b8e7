import { useSignal } from '@preact/signals';
import { isRefused, newId, staffPassages, tapStaff, undoStaffPassage } from '../../data/calls.ts';
import type { LiveState } from '../../data/live.ts';
import type { StaffPassage } from '../../data/shapes.ts';
import { DialogButton, DialogForm } from '../../parts/dialog.tsx';
import { Field } from '../../parts/fields.tsx';
import { failure } from '../../parts/form.tsx';
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
      content={(close) => <Content {...props} onDone={close} />}
    />
  );
}

function Content({ live, sid, date, onDone }: StaffTapProps & Pick<TapFormProps, 'onDone'>) {
  const message = useSignal('');
  const say = (words: string) => {
    message.value = words;
  };
  return (
    <>
      <TapForm live={live} sid={sid} onMessage={say} onDone={onDone} />
      <p role="status">{message.value}</p>
      <Taps sid={sid} date={date} onFailed={() => say(text.unreachable)} />
    </>
  );
}

interface TapFormProps extends Omit<StaffTapProps, 'date'> {
  readonly onMessage: (words: string) => void;
  readonly onDone: () => void;
}

/** A declaration that the server may have stored, although it has not answered. It is sent again unchanged. */
type Sent = Omit<Parameters<typeof tapStaff>[0], 'store'>;

function TapForm({ live, sid, onMessage, onDone }: TapFormProps) {
  const serverTime = useServerTime(live);
  const sent = useSignal<Sent | undefined>(undefined);
  const submit = async (given: FormData) => {
    const at = new Date(serverTime()).toISOString();
    const tap = sent.value ?? { id: newId(), at, people: Number(given.get('people')) };
    sent.value = tap;
    try {
      await tapStaff({ store: sid, ...tap });
      onMessage(text.staffTap.done(tap.people));
      setTimeout(onDone, 1_500);
    } catch (error) {
      if (isRefused(error)) sent.value = undefined;
      onMessage(failure(error));
    }
  };
  return (
    <DialogForm onSubmit={submit} onCancel={onDone} submit={text.save}>
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
    </DialogForm>
  );
}

interface TapsProps extends Omit<StaffTapProps, 'live'> {
  readonly onFailed: () => void;
}

/** What was declared today, with buttons to undo it. */
function Taps({ sid, date, onFailed }: TapsProps) {
  const { value: taps = [], reload } = useLoaded(() => staffPassages(sid, date), [sid, date]);
  if (taps.length === 0) return null;
  const undo = ({ id }: StaffPassage) => void undoStaffPassage(id).then(reload, onFailed);
  return (
    <section class="stack">
      <h3>{text.enteredToday}</h3>
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
