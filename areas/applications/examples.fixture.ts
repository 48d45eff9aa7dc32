import { users } from '#areas/users/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'
import { applications } from './contract.ts'

const newOne: ScreenExample = async (administrator) => {
  const { rows } = await administrator.call(users.calls.search, { size: 1 })
  const inBrowser = (await administrator.session?.()) ?? administrator
  const { id } = await inBrowser.call(applications.calls.add, {
    name: `Application ${crypto.randomUUID().slice(0, 8)}`,
    owner: { kind: 'person', id: rows[0]?.id ?? '' },
    scopes: ['certView'],
  })
  return { id }
}

export const examples = { view: newOne, edit: newOne }
