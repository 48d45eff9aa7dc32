import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { to } from '#core/contract/paths.ts'
import { roles } from '../contract.ts'

export async function findRoles(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(roles.calls.search, { text, size: 10 }, { signal })
  return rows.map(({ id, name, description }) => ({ id, label: name, detail: description, path: to(roles.screens.view, { id }) }))
}
