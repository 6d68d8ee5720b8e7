import { useSignal } from '@preact/signals';
import { uploadAudit } from '../../data/audit-calls.ts';
import { newId, RequestError } from '../../data/calls.ts';
import type { Audit } from '../../data/shapes.ts';
import { Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';

interface UploadFormProps {
  readonly serial: string;
  readonly onStored: (audit: Audit) => void;
}

/** Sends a list of times that was made in another way, such as from a video. */
export function UploadForm({ serial, onStored }: UploadFormProps) {
  const problem = useSignal('');
  /* The same until it is stored: a request whose answer was lost can be sent again. */
  const id = useSignal(newId());
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const given = new FormData(form);
    const file = given.get('list');
    if (!(file instanceof File)) return;
    problem.value = '';
    try {
      const [by, note] = [String(given.get('by')).trim(), String(given.get('note')).trim()];
      const audit = await uploadAudit({ id: id.value, device: serial, by, note }, await file.text());
      id.value = newId();
      form.reset();
      onStored(audit);
    } catch (error) {
      problem.value = whyNot(error);
    }
  };
  return (
    <details>
      <summary>{text.audit.upload.heading}</summary>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <p class="small">{text.audit.upload.explain}</p>
        <Field
          label={text.audit.upload.file}
          type="file"
          name="list"
          accept=".csv,text/csv,text/plain"
          required
        />
        <Field
          label={text.audit.name}
          name="by"
          autocomplete="name"
          maxLength={200}
          pattern=".*\S.*"
          required
        />
        <Field label={text.audit.note} name="note" maxLength={200} />
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <button type="submit">{text.audit.upload.button}</button>
      </form>
    </details>
  );
}

function whyNot(error: unknown): string {
  if (!(error instanceof RequestError) || error.status === 0) return text.unreachable;
  const [line] = error.lines;
  return line ? text.audit.upload.line(line.line, line.value) : text.audit.refused(error.message);
}
