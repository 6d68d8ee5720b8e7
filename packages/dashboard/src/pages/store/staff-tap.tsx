import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clockOffset } from '../../data/audit-calls.ts';
import { isRefused, newId, staffPassages, tapStaff, undoStaffPassage } from '../../data/calls.ts';
import type { StaffPassage } from '../../data/shapes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { timeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

interface StaffTapProps {
  readonly sid: string;
  /** The present business day. */
  readonly date: string;
}

/** Declares that staff came in just now, who are left out of the visitors, and undoes it. */
export function StaffTap({ sid, date }: StaffTapProps) {
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
        <Taps sid={sid} date={date} onFailed={() => (message.value = text.correction.unanswered)} />
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

interface TapsProps extends StaffTapProps {
  readonly onFailed: () => void;
}

/** What was declared today, with buttons to undo it. */
function Taps({ sid, date, onFailed }: TapsProps) {
  const { value: taps = [], reload } = useLoaded(() => staffPassages(sid, date), [sid, date]);
  if (taps.length === 0) return null;
  const undo = ({ id }: StaffPassage) => void undoStaffPassage(id).then(reload, onFailed);
  return (
    <section class="stack">
      <h3>{text.staffTap.list}</h3>
      <ul class="entries">
        {taps.map((tap) => (
          <li key={tap.id}>
            <span class={tap.undone ? 'undone' : ''}>{text.staffTap.entry(tap.people, timeOf(tap.at))}</span>{' '}
            {tap.undone ? (
              <span class="small">{text.correction.undoneBy(tap.undone.by)}</span>
            ) : (
              <button type="button" class="quiet" onClick={() => undo(tap)}>
                {text.correction.undo}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
