import {
  alertKinds,
  kindFacts,
  type RuleKind,
  ruleProblem,
} from '@visitor-counter/database/alerts/alert-kinds';
import {
  type AlertRuleSettings,
  alertRulesOf,
  changeAlertRules,
} from '@visitor-counter/database/settings/alert-settings';
import type { DB } from '@visitor-counter/database/sql/schema';
import type { Kysely } from 'kysely';
import Type, { type Static } from 'typebox';
import { invalidParameter } from '../../problems/problems.ts';
import { companySettings, route } from '../routing/route.ts';
import { noOtherFields, orNull, text } from '../routing/shapes.ts';
import { requireDistinct } from '../routing/values.ts';

/** The longest time of a rule: 30 days. */
const mostSeconds = 30 * 86_400;

const after = Type.Integer({
  description: 'How long the condition must last (s).',
  minimum: 0,
  maximum: mostSeconds,
});
const threshold = orNull(text('Limit of `disk-low` and `version-old`; null: the usual one.'));
const enabled = Type.Boolean({ description: 'Whether it is reported.' });
const ruleShape = Type.Object(
  { kind: Type.Enum([...alertKinds]), after, threshold, enabled },
  { $id: 'AlertRule' },
);
/* Descriptions end the sentence "<field> is …, and must be …". */
const ruleToSet = Type.Object(
  {
    kind: Type.Enum([...alertKinds], { description: `one of ${alertKinds.join(', ')}` }),
    after: Type.Optional({ ...after, description: `a whole number of seconds from 0 to ${mostSeconds}` }),
    threshold: Type.Optional({
      ...threshold,
      description: 'a limit of `disk-low` or `version-old` as text, `default`, or null',
    }),
    enabled: Type.Optional({ ...enabled, description: 'true or false' }),
  },
  noOtherFields,
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
async function ruleItems(db: Kysely<DB>, companyId: number) {
  const known = new Map((await alertRulesOf(db, companyId)).map((rule) => [rule.kind, rule]));
  return alertKinds.map((kind) => {
    const { afterSeconds: after, threshold, enabled } = known.get(kind) ?? withoutRule(kind);
    return { kind, after, threshold, enabled };
  });
}

function withoutRule(kind: RuleKind): AlertRuleSettings {
  return { kind, afterSeconds: kindFacts[kind].after, threshold: null, enabled: false };
}

/** Sets the rules of the kinds that are given, and leaves the rest as it is. */
export const putAlertRules = route(
  {
    method: 'PUT',
    path: '/v1/alert-rules',
    summary: 'Choose which alerts the company gets',
    ...companySettings,
    answer: rules,
    body: Type.Object(
      {
        items: Type.Array(ruleToSet, {
          description: 'a list of rules: kind, and after, threshold or enabled',
          maxItems: alertKinds.length,
        }),
      },
      noOtherFields,
    ),
  },
  async ({ caller, author, body }, { database }) => {
    const { companyId, company } = caller;
    const known = new Map((await alertRulesOf(database.kysely, companyId)).map((rule) => [rule.kind, rule]));
    requireDistinct(body.items, 'kind', ({ kind }) => kind);
    const wanted = body.items.map((item, index) => ruleOf(item, index, known.get(item.kind)));
    await changeAlertRules(database.kysely, author, { companyId, company }, wanted);
    return { items: await ruleItems(database.kysely, companyId) };
  },
);

/** Throws `invalid_parameter`. */
function ruleOf(
  given: Static<typeof ruleToSet>,
  index: number,
  { afterSeconds, threshold, enabled }: AlertRuleSettings = { ...withoutRule(given.kind), enabled: true },
): AlertRuleSettings {
  const { kind } = given;
  const isSameAfter = given.after === afterSeconds;
  const problem = ruleProblem(kind, { ...given, after: isSameAfter ? undefined : given.after });
  if (problem)
    throw invalidParameter(`items[${index}].${problem.field}`, given[problem.field], problem.expected);
  return {
    kind,
    afterSeconds: given.after ?? afterSeconds,
    threshold:
      given.threshold === undefined ? threshold : given.threshold === 'default' ? null : given.threshold,
    enabled: given.enabled ?? enabled,
  };
}
