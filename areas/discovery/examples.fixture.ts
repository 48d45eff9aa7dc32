import type { ScreenExample } from '#core/testing/examples.ts'
import { discovery } from './contract.ts'

const network: ScreenExample = async () => ({ provider: 'network' })
const file: ScreenExample = async () => ({ provider: 'file' })

const kubernetes: ScreenExample = async (administrator) => {
  const name = `Cluster ${crypto.randomUUID().slice(0, 8)}`
  // Judged when it is saved, and not connected to.
  const draft = { kind: 'kubernetes', name, url: 'https://93.184.215.14:6443', scope: 'shop', everyHours: 0, secret: 'a token' } as const
  await administrator.call(discovery.calls.addProvider, draft)
  return { provider: 'kubernetes' }
}

const others = (['directory', 'aws', 'azure', 'ct'] as const).map((provider): ScreenExample => async () => ({ provider }))

export const examples = { config: [network, file, kubernetes, ...others] }
