import { type Recipient, saveAlertRecipients } from '../../data/settings-calls.ts';
import { Checkbox, LanguageChoice } from '../../parts/fields.tsx';
import { language, text } from '../../text/text.ts';
import { AddButton, RemoveButton } from './entries.tsx';
import { SaveForm, useDraft } from './save-form.tsx';

/** Who receives the alerts by mail. */
export function RecipientsForm({ recipients }: { readonly recipients: readonly Recipient[] }) {
  const { draft, isChanged, set, accept } = useDraft(recipients);
  const mails = draft.map(({ mail }) => mail.trim().toLowerCase());
  const isTwice = mails.some((mail, index) => mail !== '' && mails.indexOf(mail) !== index);
  return (
    <SaveForm
      title={text.settings.recipients}
      explain={text.settings.recipientsExplain}
      isChanged={isChanged}
      problem={isTwice ? text.settings.mailTwice : undefined}
      onSave={async () => accept((await saveAlertRecipients(draft)).items)}
    >
      <ul class="recipients">
        {draft.map((recipient, index) => (
          <RecipientRow
            key={index}
            recipient={recipient}
            onChange={(part) => set(draft.with(index, { ...recipient, ...part }))}
            onRemove={() => set(draft.toSpliced(index, 1))}
          />
        ))}
      </ul>
      <AddButton
        words={text.settings.addMail}
        onAdd={() => set([...draft, { mail: '', language: language.value, enabled: true }])}
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
