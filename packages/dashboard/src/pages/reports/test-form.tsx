import { useSignal } from '@preact/signals';
import { type Report, reports, sendTest } from '../../data/report-calls.ts';
import { Notice } from '../../parts/card.tsx';
import { Field } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { text } from '../../text/text.ts';

/** How often the result of a test is read, and the pause before each (ms): a mail server may take a minute. */
const mostReads = 60;
const pause = 1_000;

interface TestFormProps {
  readonly report: Report;
  readonly onClose: () => void;
}

/** Sends a report to one address, and says whether the mail server has accepted it. */
export function TestForm({ report: { id }, onClose }: TestFormProps) {
  const result = useSignal<Report['test'] | undefined>(undefined);
  const submit = async (given: FormData) => {
    result.value = undefined;
    result.value = await resultOf(id, (await sendTest(id, String(given.get('to')))).test);
  };
  const failed = result.value?.problem;
  return (
    <Form onSubmit={submit} onCancel={onClose} submit={text.reports.send}>
      <p class="small">{text.reports.testExplain}</p>
      <Field name="to" type="email" label={text.settings.mail} autocomplete="email" required />
      {result.value !== undefined && (
        <Notice tone={result.value?.sentAt ? 'good' : 'warn'} role="status">
          {result.value?.sentAt ? text.reports.testSent : text.reports.testFailed}{' '}
          {failed && <span lang="en">({failed})</span>}
        </Notice>
      )}
    </Form>
  );
}

/** Waits until a test was sent or failed. */
async function resultOf(id: number, known: Report['test']): Promise<Report['test']> {
  let test = known;
  for (let read = 0; read < mostReads && test?.sentAt === null && test.problem === null; read += 1) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    test = (await reports()).items.find((one) => one.id === id)?.test ?? null;
  }
  return test;
}
