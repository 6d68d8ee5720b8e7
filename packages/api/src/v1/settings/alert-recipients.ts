import { mailRecipientsOf, saveMailRecipients } from '@visitor-counter/database/configuration/alert-target';
import { language, mailAddress, name, trueOrFalse } from '@visitor-counter/database/configuration/values';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import Type from 'typebox';
import { companySettings, route } from '../routing/route.ts';
import { noOtherFields } from '../routing/shapes.ts';
import { requireDistinct } from '../routing/values.ts';
import { configure } from './configure.ts';

const mostRecipients = 100;

/** The label is by default the address, the language English. */
const recipientToSet = Type.Object(
  {
    mail: mailAddress,
    label: Type.Optional(name),
    language: Type.Optional(language),
    enabled: Type.Optional(trueOrFalse),
  },
  noOtherFields,
);
const toSet = Type.Object(
  {
    items: Type.Array(recipientToSet, {
      description: `a list of at most ${mostRecipients} recipients: mail, and label, language or enabled`,
      maxItems: mostRecipients,
    }),
  },
  noOtherFields,
);
const recipientShape = Type.Object(Type.Required(recipientToSet).properties, { $id: 'AlertRecipient' });
const recipients = Type.Object({ items: Type.Array(recipientShape) });

export const getAlertRecipients = route(
  {
    method: 'GET',
    path: '/v1/alert-recipients',
    summary: 'Who receives the alerts by mail',
    ...companySettings,
    answer: recipients,
  },
  async ({ caller }, { database }) => ({ items: await mailRecipientsOf(database.kysely, caller.companyId) }),
);

/** Replaces all mail recipients; webhooks, which operators set up, stay. */
export const putAlertRecipients = route(
  {
    method: 'PUT',
    path: '/v1/alert-recipients',
    summary: 'Choose who receives the alerts by mail',
    ...companySettings,
    answer: recipients,
    body: toSet,
    bodyLimit: 256 * 1024,
  },
  async (request, resources) => {
    const wanted = request.body.items.map(({ mail, label = mail, language = 'en', enabled = true }) => {
      return { label: cleanName(label), mail: mail.trim(), language, enabled };
    });
    requireDistinct(wanted, 'label', ({ label }) => label);
    requireDistinct(wanted, 'mail', ({ mail }) => nameKey(mail));
    return await configure(request, resources, async (trx, owner) => {
      await saveMailRecipients(trx, owner, wanted);
      return { items: await mailRecipientsOf(trx, owner.id) };
    });
  },
);
