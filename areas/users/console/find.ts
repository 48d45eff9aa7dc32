import { send } from '#core/console/send.ts'
import type { RecordHit } from '#core/console/show.ts'
import { to } from '#core/contract/paths.ts'
import { users } from '../contract.ts'

export async function findUsers(text: string, signal: AbortSignal): Promise<RecordHit[]> {
  const { rows } = await send(users.calls.search, { text, size: 10 }, { signal })
  return rows.map(({ id, givenName, familyName, username, emailAddress }) => ({
    id,
    label: `${givenName} ${familyName}`,
    detail: `${username} · ${emailAddress}`,
    path: to(users.screens.view, { id }),
  }))
}
