import { useSignal } from '@preact/signals';
import { uploadAudit } from '../../data/audit-calls.ts';
import { newId, RequestError } from '../../data/calls.ts';
import type { Audit } from '../../data/shapes.ts';
import { Field } from '../../parts/field.tsx';
import { text } from '../../text/text.ts';
import { AuditorFields, auditorIn } from './auditor-fields.tsx';

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
      const query = { id: id.value, device: serial, ...auditorIn(given) };
      const audit = await uploadAudit(query, await file.text());
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
        <AuditorFields />
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
