import { users } from '#areas/users/contract.ts'
import type { ScreenExample } from '#core/testing/examples.ts'

const newOne: ScreenExample = async (administrator) => {
  const username = `merged.${crypto.randomUUID()}`
  const { id } = await administrator.call(users.calls.add, {
    username,
    givenName: 'Example',
    familyName: 'Person',
    emailAddress: `${username}@example.org`,
  })
  return { id }
}

export const examples = { merge: newOne }
