// What the room of renewal asks: whether a rule sees to the next certificate of a template.

import type { Database } from '#core/server/database.ts'
import { allRules } from './server/store.ts'

/** By template, the first of the rules that are switched on. */
export async function rulesByTemplate(db: Database, tenantId: string): Promise<Map<string, { name: string; renewDays: number }>> {
  const enabled = (await allRules(db, tenantId)).filter((rule) => rule.enabled)
  return new Map(enabled.toReversed().map(({ template_id, name, renew_days }) => [template_id, { name, renewDays: renew_days }]))
}
