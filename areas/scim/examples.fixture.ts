import { applications } from '#areas/applications/contract.ts'
import { users } from '#areas/users/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'
import { scim } from './contract.ts'

const connected: ScreenExample = async (administrator) => {
  const { rows } = await administrator.call(users.calls.search, { size: 1 })
  const inBrowser = (await administrator.session?.()) ?? administrator
  const { id } = await inBrowser.call(applications.calls.add, {
    name: `Identity provider ${crypto.randomUUID().slice(0, 8)}`,
    owner: { kind: 'person', id: rows[0]?.id ?? '' },
    scopes: ['userView', 'userAdd', 'userEdit'],
  })
  await inBrowser.call(scim.calls.connect, { id })
  return { id }
}

export const examples = { view: connected }
