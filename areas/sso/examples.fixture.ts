import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { sso } from './contract.ts'

type Administrator = Parameters<ScreenExample>[0]

/** Nothing is asked of the address. */
const provider = async (administrator: Administrator) =>
  administrator.call(sso.calls.add, {
    name: `Example ${crypto.randomUUID()}`,
    issuer: 'https://8.8.8.8/example',
    clientId: 'example',
    clientSecret: 'example',
  })

const one = async (administrator: Administrator) => ({ id: (await provider(administrator)).id })

export const examples = {
  view: one,
  edit: one,
  tried: async (administrator) => ({ ...(await one(administrator)), tryId: crypto.randomUUID() }),
  portal: async () => ({ provider: 'unknown-provider' }),
} satisfies ScreenExamples
