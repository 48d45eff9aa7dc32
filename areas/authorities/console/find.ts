import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { to } from '#core/contract/paths.ts'
import { authorities } from '../contract.ts'

export async function findAuthorities(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(authorities.calls.list, { text, size: 10 }, { signal })
  return rows.map(({ id, friendlyName, subject }) => ({
    id,
    label: friendlyName,
    detail: subject,
    path: to(authorities.screens.manage, { id }),
  }))
}
