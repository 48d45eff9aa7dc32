import type { ScreenExample } from '#core/testing/examples.ts'
import { networks } from './contract.ts'

const location: ScreenExample = async (administrator) => {
  const { id } = await administrator.call(networks.calls.addLocation, { name: `Site ${crypto.randomUUID()}`, kind: 'site' })
  return { id }
}

export const examples = { locations: location }
