import { useSignal } from '@preact/signals';
import { alertRecipients, type Recipient, saveAlertRecipients } from '../../data/settings-calls.ts';
import { Checkbox, LanguageChoice } from '../../parts/fields.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';
import { AddButton, RemoveButton } from './entries.tsx';
import { SaveForm } from './save-form.tsx';

/** Who receives the alerts by mail. */
export function RecipientsForm() {
  const loaded = useLoaded(alertRecipients, []);
  const entered = useSignal<readonly Recipient[] | undefined>(undefined);
  const list = entered.value ?? loaded.value?.items ?? [];
  const change = (items: readonly Recipient[]) => {
    entered.value = items;
  };
  const mails = list.map(({ mail }) => mail.trim().toLowerCase());
  const twice = mails.find((mail, index) => mail !== '' && mails.indexOf(mail) !== index);
  return (
    <SaveForm
      title={text.settings.recipients}
      explain={text.settings.recipientsExplain}
      loaded={loaded}
      problem={twice && text.settings.twice(twice)}
      onSave={async () => change((await saveAlertRecipients(list)).items)}
    >
      <ul class="recipients">
        {list.map((recipient, index) => (
          <RecipientRow
            key={index}
            recipient={recipient}
            onChange={(part) => change(list.with(index, { ...recipient, ...part }))}
            onRemove={() => change(list.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <AddButton
        words={text.settings.addMail}
        onAdd={() => change([...list, { mail: '', language: language.value, enabled: true }])}
      />
    </SaveForm>
  );
}

interface RecipientRowProps {
  readonly recipient: Recipient;
  readonly onChange: (part: Partial<Recipient>) => void;
  readonly onRemove: () => void;
}

function RecipientRow({ recipient, onChange, onRemove }: RecipientRowProps) {
  const { mail, enabled } = recipient;
  return (
    <li>
      <input
        type="email"
        required
        maxLength={250}
        aria-label={text.settings.mail}
        placeholder={text.settings.mail}
        value={mail}
        onInput={({ currentTarget }) => onChange({ mail: currentTarget.value })}
      />
      <LanguageChoice
        value={recipient.language}
        isLabelHidden
        onChoose={(chosen) => onChange({ language: chosen })}
      />
      <Checkbox
        label={text.settings.sends}
        isChecked={enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      <RemoveButton label={`${mail} ${text.remove}`.trim()} onRemove={onRemove} />
    </li>
  );
}
