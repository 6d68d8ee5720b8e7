import { alertKinds, kindFacts } from '@visitor-counter/database/alerts/alert-kinds';
import { AlertRule, alertRulesOf, saveAlertRule } from '@visitor-counter/database/configuration/alert-rule';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import Type from 'typebox';
import { companySettings, route } from '../routing/route.ts';
import { noOtherFields, orNull, text } from '../routing/shapes.ts';
import { requireDistinct } from '../routing/values.ts';
import { atItem, configure } from './configure.ts';

const ruleShape = Type.Object(
  {
    kind: Type.Enum([...alertKinds]),
    after: Type.Integer({
      description: 'How long the condition must last (s).',
      minimum: 0,
      maximum: 30 * 86_400,
    }),
    threshold: orNull(text('Limit of `disk-low` and `version-old`; null: the usual one.')),
    enabled: Type.Boolean({ description: 'Whether it is reported.' }),
  },
  { $id: 'AlertRule' },
);
const rules = Type.Object({ items: Type.Array(ruleShape) });

export const getAlertRules = route(
  {
    method: 'GET',
    path: '/v1/alert-rules',
    summary: 'Which alerts the company gets',
    ...companySettings,
    answer: rules,
  },
  async ({ caller }, { database }) => ({ items: await ruleItems(database.kysely, caller.companyId) }),
);

/** Every kind; a kind without a rule raises no alerts. */
async function ruleItems(db: Db, companyId: number) {
  const known = new Map((await alertRulesOf(db, companyId)).map((rule) => [rule.kind, rule]));
  return alertKinds.map((kind) => {
    const unset = { afterSeconds: kindFacts[kind].after, threshold: null, enabled: false };
    const { afterSeconds: after, threshold, enabled } = known.get(kind) ?? unset;
    return { kind, after, threshold, enabled };
  });
}

const toSet = Type.Object(
  {
    items: Type.Array(Type.Object(AlertRule.properties, noOtherFields), {
      description: 'a list of rules: kind, and after, threshold or enabled',
      maxItems: alertKinds.length,
    }),
  },
  noOtherFields,
);

/** Sets the rules of the kinds that are given, and leaves the rest as it is. */
export const putAlertRules = route(
  {
    method: 'PUT',
    path: '/v1/alert-rules',
    summary: 'Choose which alerts the company gets',
    ...companySettings,
    answer: rules,
    body: toSet,
  },
  async (request, resources) => {
    const { items } = request.body;
    requireDistinct(items, 'kind', ({ kind }) => kind);
    return await configure(request, resources, async (trx, owner) => {
      for (const [index, item] of items.entries()) await saveAlertRule(trx, owner, item).catch(atItem(index));
      return { items: await ruleItems(trx, owner.id) };
    });
  },
);
