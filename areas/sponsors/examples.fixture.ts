import { users } from '#areas/users/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'
import { sponsors } from './contract.ts'

const newOne: ScreenExample = async (administrator) => {
  const name = `sponsor${crypto.randomUUID().slice(0, 8)}`
  const { id: userId } = await administrator.call(users.calls.add, {
    username: name,
    givenName: 'Sponsor',
    familyName: 'Example',
    emailAddress: `${name}@example.org`,
  })
  const { id } = await administrator.call(sponsors.calls.add, { userId, from: new Date().toISOString() })
  return { id }
}

export const examples = { edit: newOne }
