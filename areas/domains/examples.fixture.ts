import type { ScreenExample } from '#core/testing/examples.ts'
import { domains } from './contract.ts'

const newOne: ScreenExample = (administrator) =>
  administrator.call(domains.calls.add, { name: `example-${crypto.randomUUID().slice(0, 8)}.org` })

export const examples = { view: newOne }
