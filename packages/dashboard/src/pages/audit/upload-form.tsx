import { useSignal } from '@preact/signals';
import { enterAudit } from '../../data/audit-calls.ts';
import { newId, RequestError } from '../../data/calls.ts';
import type { Audit } from '../../data/shapes.ts';
import { Field } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { text } from '../../text/text.ts';
import { AuditorFields, auditorIn } from './finish-form.tsx';

interface UploadFormProps {
  readonly serial: string;
  readonly onStored: (audit: Audit) => void;
}

/** Sends a list of times that was made in another way, such as from a video. */
export function UploadForm({ serial, onStored }: UploadFormProps) {
  /* The same until it is stored: a request whose answer was lost can be sent again. */
  const id = useSignal(newId());
  const upload = async (given: FormData) => {
    const file = given.get('list');
    if (!(file instanceof File)) return;
    const passages = await file.text();
    const audit = await enterAudit({ id: id.value, device: serial, ...auditorIn(given), passages });
    id.value = newId();
    onStored(audit);
  };
  return (
    <details>
      <summary>{text.audit.upload.heading}</summary>
      <Form onSubmit={upload} submit={text.audit.upload.button} whyNot={whyNot}>
        <p class="small">{text.audit.upload.explain}</p>
        {/* They are empty for the next list, and the button keeps the focus. */}
        <Field
          key={`file ${id.value}`}
          label={text.audit.upload.file}
          type="file"
          name="list"
          accept=".csv,text/csv,text/plain"
          required
        />
        <AuditorFields key={`auditor ${id.value}`} />
      </Form>
    </details>
  );
}

function whyNot(error: unknown): string {
  if (!(error instanceof RequestError) || error.status === 0) return text.unreachable;
  const [line] = error.lines;
  return line ? text.audit.upload.line(line.line, line.value) : text.audit.refused(error.message);
}
