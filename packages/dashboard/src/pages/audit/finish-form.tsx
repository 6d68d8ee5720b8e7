import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { enterAudit } from '../../data/audit-calls.ts';
import { RequestError } from '../../data/calls.ts';
import { clockOffset } from '../../data/clock.ts';
import type { Audit, Way } from '../../data/shapes.ts';
import { Field, NameField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { text } from '../../text/text.ts';
import type { KeptTaps, Taps } from './taps.ts';

interface FinishFormProps {
  readonly serial: string;
  readonly taps: Taps;
  readonly kept: KeptTaps;
  readonly onStored: (audit: Audit) => void;
  /** Left out where no more taps belong to the audit. */
  readonly onBack: (() => void) | undefined;
}

/** How often an audit that could not be stored is sent again (ms). */
const interval = 10_000;

/** Asks who was at the door, and sends the audit until the server has stored it. */
export function FinishForm({ serial, taps, kept, onStored, onBack }: FinishFormProps) {
  const problem = useSignal<string | undefined>(undefined);
  const send = async () => {
    const now = kept.read();
    if (now === undefined || !now.isSent) return;
    try {
      kept.setOffset(clockOffset());
      const audit = await enterAudit(auditOf(serial, kept.read() ?? now));
      /* Another attempt may have stored it before, and the next check may have begun. */
      if (kept.discard(now.id)) onStored(audit);
    } catch (error) {
      const isFinal = error instanceof RequestError && [400, 403, 404, 409].includes(error.status);
      problem.value = isFinal ? text.audit.refused(error.message) : text.audit.unsent;
    }
  };
  useEffect(() => {
    if (!taps.isSent) return;
    void send();
    const timer = setInterval(send, interval);
    return () => clearInterval(timer);
  }, [taps.isSent]);
  const finish = async (given: FormData) => {
    const { by, note } = auditorIn(given);
    kept.finish(by, note);
  };
  const seen = (way: Way) => taps.passages.filter(([, one]) => one === way).length;
  return (
    <Form
      onSubmit={taps.isSent ? send : finish}
      submit={taps.isSent ? text.again : text.save}
      problem={problem.value}
      actions={() =>
        onBack &&
        !taps.isSent && (
          <button type="button" class="quiet" onClick={onBack}>
            {text.goOn}
          </button>
        )
      }
    >
      <p>{text.audit.seen(seen('in'), seen('out'))}</p>
      {!taps.isSent && <AuditorFields />}
      {taps.isSent && !problem.value && <p role="status">{text.saving}</p>}
    </Form>
  );
}

/** With instants of the server's clock. */
function auditOf(serial: string, { id, passages, offset, by, note }: Taps) {
  if (offset === null) throw new Error('The time of the server is not known yet.');
  return {
    ...{ id, device: serial, by, note },
    passages: passages.map(([at, direction]) => ({ at: new Date(at + offset).toISOString(), direction })),
  };
}

/** Asks who was at the door, and for a note: `by` and `note` of the form. */
export function AuditorFields() {
  return (
    <>
      <NameField />
      <Field label={text.optionalNote} name="note" maxLength={200} />
    </>
  );
}

/** What was entered in these fields. */
export function auditorIn(form: FormData): { readonly by: string; readonly note: string } {
  return { by: String(form.get('by')).trim(), note: String(form.get('note')).trim() };
}
