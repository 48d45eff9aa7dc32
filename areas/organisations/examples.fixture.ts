import type { ScreenExample } from '#core/testing/examples.ts'
import { organisations } from './contract.ts'

const newOne: ScreenExample = async (administrator) => {
  const { id } = await administrator.call(organisations.calls.add, { name: `Example ${crypto.randomUUID()}` })
  return { id }
}

export const examples = {
  view: newOne,
  edit: newOne,
  permissions: async (administrator: Parameters<ScreenExample>[0]) => {
    const { id } = await administrator.call(organisations.calls.add, { name: `Example ${crypto.randomUUID()}` })
    return { orgId: id }
  },
}
