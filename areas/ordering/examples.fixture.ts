import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { ordering } from './contract.ts'

type Administrator = Parameters<ScreenExample>[0]

/** Nothing is asked of it: its address is one that documents use. */
const authority = (administrator: Administrator) =>
  administrator.call(ordering.calls.addAuthority, {
    name: `Example ${crypto.randomUUID()}`,
    directoryUrl: 'https://192.88.98.10/directory',
    agreed: true,
  })

const responder = (administrator: Administrator) =>
  administrator.call(ordering.calls.addResponder, {
    name: `Example ${crypto.randomUUID()}`,
    settings: { kind: 'webhook', url: 'https://192.88.98.10/dns', username: '' },
  })

const order = async (administrator: Administrator) => {
  const { id: authorityId } = await authority(administrator)
  return administrator.call(ordering.calls.start, { authorityId, names: ['www.example.org'], proof: 'record', keyKind: 'P-256' })
}

export const examples = { order, editAuthority: authority, editResponder: responder } satisfies ScreenExamples
