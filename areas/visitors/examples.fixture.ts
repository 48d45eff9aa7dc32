import { users } from '#areas/users/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'
import { visitors } from './contract.ts'

const hour = 3_600_000

const newOne: ScreenExample = async (administrator) => {
  const { rows } = await administrator.call(users.calls.search, { size: 1 })
  const now = Date.now()
  const { id } = await administrator.call(visitors.calls.add, {
    name: 'Example Visitor',
    company: 'Example',
    hostId: rows[0]?.id ?? '',
    from: new Date(now).toISOString(),
    until: new Date(now + 8 * hour).toISOString(),
  })
  return { id }
}

export const examples = { visit: newOne }
