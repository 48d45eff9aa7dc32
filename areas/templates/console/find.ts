import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { templates } from '../contract.ts'
import { templatePath } from './paths.ts'

export async function findTemplates(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(templates.calls.list, { text, size: 10 }, { signal })
  return rows.map(({ templateId, displayName, caName }) => ({
    id: templateId,
    label: displayName,
    detail: caName,
    path: templatePath(templateId),
  }))
}
