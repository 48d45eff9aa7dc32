// What is wrong with a template beside the shape of its fields, so that the editor says all of it at once: the rules that the server keeps to as well, and
// whether another template has the name.

import type * as z from 'zod'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { templates, TemplateDraft } from '../contract.ts'
import { defaultExtensions, templateFaults } from '../rules.ts'
import { emptyTemplate, type TemplateValues } from './template-values.ts'

const { extensions: Extensions, rules: Rules } = TemplateDraft.shape

/** The values, with the default where the shape has something to say about a field: one wrong field keeps nobody from judging the others. */
function judgeable<S extends z.ZodType>(shape: S, values: object, defaults: object): { data: z.output<S>; replaced: string[] } {
  const { error } = shape.safeParse(values)
  const replaced = [...new Set(error?.issues.map(({ path }) => String(path[0])))]
  const usual = new Map(Object.entries(defaults))
  return { data: shape.parse({ ...values, ...Object.fromEntries(replaced.map((name) => [name, usual.get(name)])) }), replaced }
}

export function draftFaults({ class: holder = 'DEVICE', extensions, rules }: TemplateValues): Record<string, string> {
  const carried = judgeable(Extensions, extensions, defaultExtensions)
  const kept = judgeable(Rules, rules, emptyTemplate('').rules)
  const unjudged = [...carried.replaced.map((name) => `extensions.${name}`), ...kept.replaced.map((name) => `rules.${name}`)]
  const faults = templateFaults({ class: holder, extensions: carried.data, rules: kept.data })
  return Object.fromEntries(
    faults
      .filter(({ field }) => !unjudged.some((name) => field === name || field.startsWith(`${name}.`)))
      .map(({ field, says }) => [field, t(says)]),
  )
}

/** The authority's other template of this name. */
export async function nameFaults({ caId, templateName }: TemplateValues, templateId?: string): Promise<Record<string, string>> {
  if (templateName.trim() === '') return {}
  const { rows } = await send(templates.calls.list, { caId, text: templateName.trim(), size: 200 })
  const taken = rows.some((row) => row.templateName === templateName.trim() && row.caId === caId && row.templateId !== templateId)
  return taken ? { templateName: t(templates.calls.add.faults.nameTaken.says) } : {}
}
